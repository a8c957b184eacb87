// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store.local;

import dev.verbena.store.MapOutputKey;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The committed map outputs by application, shuffle and map attempt. Thread-safe. */
final class OutputTable {
  private final Map<String, Map<Integer, Map<Long, CommittedOutput>>> applications =
      new HashMap<>();
  private long count;
  private long blockBytes;

  /** Finds and pins. */
  synchronized Optional<CommittedOutput> findPinned(MapOutputKey key) {
    return Optional.ofNullable(get(key)).filter(CommittedOutput::pin);
  }

  /** Adds an output whose key is not there. */
  synchronized void put(CommittedOutput output) {
    applications
        .computeIfAbsent(output.key().application(), name -> new HashMap<>())
        .computeIfAbsent(output.key().shuffle(), shuffle -> new HashMap<>())
        .put(output.key().mapAttempt(), output);
    count++;
    blockBytes += output.blockBytes();
  }

  /** Takes exactly that output out; false if it is not there any more. */
  synchronized boolean remove(CommittedOutput output) {
    MapOutputKey key = output.key();
    if (get(key) != output) {
      return false;
    }
    Map<Integer, Map<Long, CommittedOutput>> shuffles = applications.get(key.application());
    Map<Long, CommittedOutput> attempts = shuffles.get(key.shuffle());
    attempts.remove(key.mapAttempt());
    if (attempts.isEmpty()) {
      shuffles.remove(key.shuffle());
    }
    if (shuffles.isEmpty()) {
      applications.remove(key.application());
    }
    count--;
    blockBytes -= output.blockBytes();
    return true;
  }

  /** The output of a key, or none. */
  synchronized List<CommittedOutput> ofKey(MapOutputKey key) {
    CommittedOutput output = get(key);
    return output == null ? List.of() : List.of(output);
  }

  /** Those of a shuffle now. */
  synchronized List<CommittedOutput> ofShuffle(String application, int shuffle) {
    return List.copyOf(
        applications.getOrDefault(application, Map.of()).getOrDefault(shuffle, Map.of()).values());
  }

  /** Those of an application now. */
  synchronized List<CommittedOutput> ofApplication(String application) {
    List<CommittedOutput> all = new ArrayList<>();
    applications
        .getOrDefault(application, Map.of())
        .values()
        .forEach(attempts -> all.addAll(attempts.values()));
    return all;
  }

  /** All of them now. */
  synchronized List<CommittedOutput> all() {
    List<CommittedOutput> all = new ArrayList<>();
    applications.keySet().forEach(application -> all.addAll(ofApplication(application)));
    return all;
  }

  synchronized List<MapOutputKey> keys(String application) {
    return ofApplication(application).stream().map(CommittedOutput::key).toList();
  }

  synchronized List<String> applications() {
    return applications.keySet().stream().sorted().toList();
  }

  synchronized long count() {
    return count;
  }

  synchronized long blockBytes() {
    return blockBytes;
  }

  private CommittedOutput get(MapOutputKey key) {
    return applications
        .getOrDefault(key.application(), Map.of())
        .getOrDefault(key.shuffle(), Map.of())
        .get(key.mapAttempt());
  }
}
