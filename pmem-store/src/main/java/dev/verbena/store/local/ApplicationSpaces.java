// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store.local;

import dev.verbena.store.index.IndexKey;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The space of each application that has something in a store or writes to it. By the hash of its
 * id, which is all that a record tells of it. Thread-safe.
 */
final class ApplicationSpaces {
  private final ConcurrentHashMap<Long, ApplicationSpace> spaces = new ConcurrentHashMap<>();
  private final long quota;

  /** Each application may use {@code quota} bytes. */
  ApplicationSpaces(long quota) {
    this.quota = quota;
  }

  /** The space of an application, for one holder more. */
  ApplicationSpace hold(long hash, String application) {
    return spaces.compute(
        hash,
        (key, there) -> {
          ApplicationSpace space = there == null ? new ApplicationSpace(application, quota) : there;
          space.holders++;
          return space;
        });
  }

  /** One holder less. */
  void letGo(long hash) {
    spaces.computeIfPresent(
        hash,
        (key, space) -> {
          space.holders--;
          return space.holders == 0 ? null : space;
        });
  }

  /** Bytes in use by an application. */
  long used(String application) {
    ApplicationSpace space = spaces.get(IndexKey.hashOf(application));
    return space == null ? 0 : space.used();
  }

  /** Applications that have something. */
  int count() {
    return spaces.size();
  }
}
