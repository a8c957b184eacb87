// SPDX-License-Identifier: Apache-2.0
package dev.verbena.cli.agent;

import dev.verbena.store.PoolUsage;
import dev.verbena.store.StoreOptions;
import dev.verbena.store.agent.AgentStatus;
import dev.verbena.store.agent.ApplicationStatus;
import java.util.List;
import java.util.Locale;
import java.util.function.ToLongFunction;

/** An agent's figures in the text format of Prometheus, version 0.0.4. */
final class Metrics {
  static final String TYPE = "text/plain; version=0.0.4; charset=utf-8";

  private static final String PREFIX = "verbena_agent_";

  private final StringBuilder out = new StringBuilder();

  private Metrics() {}

  static String of(AgentStatus status) {
    Metrics metrics = new Metrics();
    metrics.gauge("draining", "1 if it refuses what is new", status.draining() ? 1 : 0);
    metrics.gauge("uptime_seconds", "since it began to serve", status.uptime().toSeconds());
    metrics.gauge("map_outputs", "committed map outputs", status.usage().mapOutputs());
    metrics.gauge("block_bytes", "bytes of their blocks", status.usage().blockBytes());
    metrics.gauge("applications", "applications known", status.applications().size());
    if (status.quota() != StoreOptions.NO_QUOTA) {
      metrics.gauge("quota_bytes", "most bytes of an application", status.quota());
    }
    List<PoolUsage> pools = status.usage().pools();
    metrics.ofPools(pools, "pool_size_bytes", "bytes that can be given out", PoolUsage::size);
    metrics.ofPools(pools, "pool_used_bytes", "bytes given out", PoolUsage::used);
    metrics.ofPools(pools, "pool_extents", "extents given out", PoolUsage::extents);
    List<ApplicationStatus> applications = status.applications();
    metrics.ofApplications(
        applications,
        "application_used_bytes",
        "bytes that count against the quota",
        ApplicationStatus::usedBytes);
    metrics.ofApplications(
        applications,
        "application_map_outputs",
        "committed map outputs",
        ApplicationStatus::mapOutputs);
    metrics.ofApplications(
        applications,
        "application_holders",
        "processes of this node that are attached",
        ApplicationStatus::holders);
    metrics.ofApplications(
        applications,
        "application_connections",
        "connections to its server",
        ApplicationStatus::connections);
    metrics.ofApplications(
        applications,
        "application_open_grants",
        "spaces that are being written",
        ApplicationStatus::openGrants);
    return metrics.out.toString();
  }

  private void gauge(String name, String help, long value) {
    head(name, help);
    out.append(PREFIX).append(name).append(' ').append(value).append('\n');
  }

  private void ofPools(
      List<PoolUsage> pools, String name, String help, ToLongFunction<PoolUsage> value) {
    head(name, help);
    for (PoolUsage pool : pools) {
      out.append(PREFIX)
          .append(name)
          .append("{pool=\"")
          .append(escaped(pool.path().toString()))
          .append("\",kind=\"")
          .append(pool.kind().name().toLowerCase(Locale.ROOT))
          .append("\"} ")
          .append(value.applyAsLong(pool))
          .append('\n');
    }
  }

  private void ofApplications(
      List<ApplicationStatus> applications,
      String name,
      String help,
      ToLongFunction<ApplicationStatus> value) {
    head(name, help);
    for (ApplicationStatus each : applications) {
      out.append(PREFIX)
          .append(name)
          .append("{application=\"")
          .append(escaped(each.id()))
          .append("\"} ")
          .append(value.applyAsLong(each))
          .append('\n');
    }
  }

  private void head(String name, String help) {
    out.append("# HELP ").append(PREFIX).append(name).append(' ').append(help).append('\n');
    out.append("# TYPE ").append(PREFIX).append(name).append(" gauge\n");
  }

  private static String escaped(String text) {
    return text.replace("\\", "\\\\").replace("\"", "\\\"").replace("\n", "\\n");
  }
}
