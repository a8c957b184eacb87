// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store.grant;

import dev.verbena.memory.DurabilityMethod;

/** A device and a carrier over which one process writes into another one's store. */
enum GrantPath {
  SHM("soft", false, "shm", DurabilityMethod.FLUSH),
  TCP("soft", true, "tcp", DurabilityMethod.FLUSH),
  /** A device without windows, FLUSH and ATOMIC_WRITE: a region a key, READs, inline WRITEs. */
  BARE(LessProvider.SoftBare.NAME, false, "shm", DurabilityMethod.READ_AFTER_WRITE),
  /** A device that can't register pools. */
  STAGED(LessProvider.SoftStaging.NAME, false, "shm", DurabilityMethod.REMOTE_PERSIST),
  /** The kernel's first device, which flushes persistent memory only. */
  RDMA("rdmacore", false, "rxe", DurabilityMethod.READ_AFTER_WRITE);

  /** What both ends' devices are opened with. */
  final String provider;

  final boolean tcpOnly;

  final String carrier;

  /** How a record is made durable. */
  final DurabilityMethod method;

  GrantPath(String provider, boolean tcpOnly, String carrier, DurabilityMethod method) {
    this.provider = provider;
    this.tcpOnly = tcpOnly;
    this.carrier = carrier;
    this.method = method;
  }
}
