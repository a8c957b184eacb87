// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store.agent;

import dev.verbena.store.MapOutputKey;
import dev.verbena.store.PoolKind;
import dev.verbena.store.PoolUsage;
import dev.verbena.store.StoreException;
import dev.verbena.store.StoreUsage;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.function.Function;

/** What an agent tells of itself, as the fields of a reply. */
final class AgentReports {
  private AgentReports() {}

  static List<String> encode(AgentStatus status) {
    List<String> fields = new ArrayList<>();
    fields.add(status.name());
    fields.add(String.valueOf(status.draining()));
    fields.add(status.uptime().toString());
    add(fields, status.quota(), status.usage().mapOutputs(), status.usage().blockBytes());
    fields.add(String.valueOf(status.usage().overflowed()));
    add(fields, status.usage().pools().size());
    for (PoolUsage pool : status.usage().pools()) {
      fields.add(pool.path().toString());
      fields.add(pool.kind().name());
      add(fields, pool.size(), pool.used(), pool.extents());
    }
    for (ApplicationStatus each : status.applications()) {
      fields.add(each.id());
      add(
          fields,
          each.holders(),
          each.connections(),
          each.openGrants(),
          each.mapOutputs(),
          each.usedBytes());
    }
    return fields;
  }

  /**
   * Reads one.
   *
   * @throws StoreException REJECTED if it is none
   */
  static AgentStatus status(List<String> fields) {
    return read(
        fields,
        in -> {
          String name = in.next();
          boolean draining = Boolean.parseBoolean(in.next());
          Duration uptime = Duration.parse(in.next());
          long quota = number(in);
          long outputs = number(in);
          long bytes = number(in);
          boolean overflowed = Boolean.parseBoolean(in.next());
          List<PoolUsage> pools = new ArrayList<>();
          for (long left = number(in); left > 0; left--) {
            pools.add(
                new PoolUsage(
                    Path.of(in.next()),
                    PoolKind.valueOf(in.next()),
                    number(in),
                    number(in),
                    number(in)));
          }
          List<ApplicationStatus> applications = new ArrayList<>();
          while (in.hasNext()) {
            applications.add(
                new ApplicationStatus(
                    in.next(), count(in), count(in), count(in), count(in), number(in)));
          }
          StoreUsage usage = new StoreUsage(pools, outputs, bytes, overflowed);
          return new AgentStatus(name, draining, uptime, quota, usage, applications);
        });
  }

  static List<String> encode(List<OutputStatus> outputs) {
    List<String> fields = new ArrayList<>();
    for (OutputStatus each : outputs) {
      fields.add(each.key().application());
      add(fields, each.key().shuffle(), each.key().mapAttempt(), each.partitions(), each.bytes());
    }
    return fields;
  }

  /**
   * Reads a list.
   *
   * @throws StoreException REJECTED if it is none
   */
  static List<OutputStatus> outputs(List<String> fields) {
    return read(
        fields,
        in -> {
          List<OutputStatus> outputs = new ArrayList<>();
          while (in.hasNext()) {
            outputs.add(
                new OutputStatus(
                    new MapOutputKey(in.next(), count(in), number(in)), count(in), number(in)));
          }
          return outputs;
        });
  }

  private static void add(List<String> fields, long... values) {
    for (long value : values) {
      fields.add(String.valueOf(value));
    }
  }

  private static <T> T read(List<String> fields, Function<Iterator<String>, T> reader) {
    try {
      return reader.apply(fields.iterator());
    } catch (IllegalArgumentException | NoSuchElementException | java.time.DateTimeException e) {
      throw new StoreException(
          StoreException.Code.REJECTED, "an agent's report can't be read: " + e, e);
    }
  }

  private static long number(Iterator<String> in) {
    return Long.parseLong(in.next());
  }

  private static int count(Iterator<String> in) {
    return Integer.parseInt(in.next());
  }
}
