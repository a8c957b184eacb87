// SPDX-License-Identifier: Apache-2.0
package dev.verbena.cli.store;

import dev.verbena.cli.Bytes;
import dev.verbena.cli.Json;
import dev.verbena.store.PoolUsage;
import dev.verbena.store.StoreOptions;
import dev.verbena.store.agent.AgentClient;
import dev.verbena.store.agent.AgentStatus;
import dev.verbena.store.agent.ApplicationStatus;
import java.io.PrintWriter;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code verbena store stat}. */
@Command(
    name = "stat",
    mixinStandardHelpOptions = true,
    description = "Tells what the agent's pools and applications use.")
final class StatCommand implements Callable<Integer> {
  @Mixin private AgentTarget agent;

  @Option(names = "--json", description = "Prints JSON, sizes in bytes.")
  private boolean json;

  @Spec private CommandSpec spec;

  /** For picocli. */
  StatCommand() {}

  @Override
  public Integer call() {
    return agent.ask(this::tell);
  }

  private int tell(AgentClient client) {
    AgentStatus status = client.status();
    PrintWriter out = spec.commandLine().getOut();
    if (json) {
      out.println(Json.of(fields(status)));
    } else {
      print(out, status);
    }
    out.flush();
    return 0;
  }

  private static void print(PrintWriter out, AgentStatus status) {
    out.printf(
        "agent %s, up %d s%s%n",
        status.name(), status.uptime().toSeconds(), status.draining() ? ", about to end" : "");
    out.printf(
        "%d map outputs, %s of blocks, quota of an application: %s%n",
        status.usage().mapOutputs(),
        new Bytes(status.usage().blockBytes()),
        status.quota() == StoreOptions.NO_QUOTA ? "none" : new Bytes(status.quota()));
    for (PoolUsage pool : status.usage().pools()) {
      out.printf(
          "pool %s %s: %s of %s used, %d extents%n",
          pool.kind(), pool.path(), new Bytes(pool.used()), new Bytes(pool.size()), pool.extents());
    }
    for (ApplicationStatus each : status.applications()) {
      out.printf(
          "application %s: %s used, %d map outputs, %d attached, %d connections, %d being written%n",
          each.id(),
          new Bytes(each.usedBytes()),
          each.mapOutputs(),
          each.holders(),
          each.connections(),
          each.openGrants());
    }
  }

  private static Map<String, Object> fields(AgentStatus status) {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("name", status.name());
    fields.put("draining", status.draining());
    fields.put("uptimeSeconds", status.uptime().toSeconds());
    fields.put("quota", status.quota() == StoreOptions.NO_QUOTA ? null : status.quota());
    fields.put("mapOutputs", status.usage().mapOutputs());
    fields.put("blockBytes", status.usage().blockBytes());
    fields.put("pools", status.usage().pools().stream().map(StatCommand::fields).toList());
    fields.put("applications", List.copyOf(status.applications()));
    return fields;
  }

  private static Map<String, Object> fields(PoolUsage pool) {
    return Map.of(
        "path", pool.path().toString(),
        "kind", pool.kind().name(),
        "size", pool.size(),
        "used", pool.used(),
        "extents", pool.extents());
  }
}
