// SPDX-License-Identifier: Apache-2.0
package dev.verbena.integration.bench;

import dev.verbena.store.grant.RemoteLog;
import dev.verbena.store.serve.RemoteWriters;
import dev.verbena.store.serve.StoreEndpoint;

/** Appends one-sided into the far end's store. */
final class DirectAppend implements Appending {
  private final RemoteWriters writers;
  private final StoreEndpoint store;
  private final FarJvm far;
  private RemoteLog log;
  private FarTimes before;
  private FarTimes used;

  DirectAppend(RemoteWriters writers, StoreEndpoint store, FarJvm far) {
    this.writers = writers;
    this.store = store;
    this.far = far;
  }

  @Override
  public String name() {
    return "direct";
  }

  /** The first space is granted ahead, as later ones are by what is appended. */
  @Override
  public void begin(int count) {
    log = writers.openLog(store, AppendServer.APPLICATION, AppendServer.DIRECT);
    log.append(new byte[1], 0, 1);
    FarJvm.expect("shm", log.carrier());
    before = FarTimes.of(far);
  }

  @Override
  public void append(byte[] entry, int length) {
    log.append(entry, 0, length);
  }

  @Override
  public void end() {
    used = FarTimes.of(far).minus(before);
    log.close();
  }

  /** What is not persisting is all told as waking; see {@link AppendSplit#withCarried}. */
  @Override
  public AppendSplit split(double micros, int count) {
    double persist = used.persist() / Sample.SCALE / count;
    return new AppendSplit(0, micros - persist, 0, persist);
  }
}
