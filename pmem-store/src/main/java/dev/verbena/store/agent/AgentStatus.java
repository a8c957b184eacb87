// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store.agent;

import dev.verbena.store.StoreUsage;
import java.time.Duration;
import java.util.List;

/**
 * An agent, at one moment.
 *
 * @param name what people call it
 * @param draining whether it refuses what is new
 * @param uptime since it began to serve
 * @param quota most bytes of each application
 * @param usage its pools
 * @param applications by id
 */
public record AgentStatus(
    String name,
    boolean draining,
    Duration uptime,
    long quota,
    StoreUsage usage,
    List<ApplicationStatus> applications) {
  /** Copies the list. */
  public AgentStatus {
    applications = List.copyOf(applications);
  }
}
