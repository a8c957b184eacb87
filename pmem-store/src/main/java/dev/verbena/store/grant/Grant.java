// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store.grant;

import dev.verbena.store.local.EntryBytes;
import dev.verbena.store.local.GrantedExtent;
import dev.verbena.time.Deadline;
import java.util.Optional;
import java.util.function.Consumer;

/** A grant as its store sees it: opened once, ended once, in whatever order. Thread-safe. */
final class Grant {
  private final long id;
  private final long connection;
  private final String application;
  private final GrantedExtent extent;
  private volatile Deadline lease;
  private KeyPair keys;
  private boolean ended;

  Grant(long id, long connection, String application, GrantedExtent extent, Deadline lease) {
    this.id = id;
    this.connection = connection;
    this.application = application;
    this.extent = extent;
    this.lease = lease;
  }

  long id() {
    return id;
  }

  /** The connection that it was made on, which alone may use it. */
  long connection() {
    return connection;
  }

  String application() {
    return application;
  }

  GrantedExtent extent() {
    return extent;
  }

  Deadline lease() {
    return lease;
  }

  void renew(Deadline until) {
    lease = until;
  }

  /** Takes the keys; false if it has ended meanwhile, and they are to be revoked. */
  synchronized boolean opened(KeyPair made) {
    keys = made;
    return !ended;
  }

  /** Makes it durable; false if it is over. It can't end meanwhile: the space would be others'. */
  synchronized boolean flush(Consumer<StoreFlush> how) {
    if (ended || keys == null) {
      return false;
    }
    how.accept(keys.flush());
    return true;
  }

  /** An entry of a log that was published there, if it is not over: it can't end meanwhile. */
  synchronized Optional<EntryBytes> entry(int log, long ordinal) {
    return ended ? Optional.empty() : extent.entry(log, ordinal);
  }

  /** Ends it; the keys to revoke, if there are any yet. Whoever opens it later sees the end. */
  synchronized Optional<KeyPair> end() {
    ended = true;
    return Optional.ofNullable(keys);
  }

  @Override
  public String toString() {
    return "grant " + id + " of " + application + " on connection " + connection + ", " + extent;
  }
}
