// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store.local;

import dev.verbena.store.MapOutputKey;
import java.util.ArrayList;
import java.util.Collection;
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
    blockBytes += output.manifest().blockBytes();
  }

  synchronized Collection<CommittedOutput> remove(MapOutputKey key) {
    CommittedOutput output = get(key);
    if (output == null) {
      return List.of();
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
    uncount(List.of(output));
    return List.of(output);
  }

  synchronized Collection<CommittedOutput> removeShuffle(String application, int shuffle) {
    Map<Integer, Map<Long, CommittedOutput>> shuffles = applications.get(application);
    Map<Long, CommittedOutput> attempts = shuffles == null ? null : shuffles.remove(shuffle);
    if (attempts == null) {
      return List.of();
    }
    if (shuffles.isEmpty()) {
      applications.remove(application);
    }
    uncount(attempts.values());
    return attempts.values();
  }

  synchronized Collection<CommittedOutput> removeApplication(String application) {
    Map<Integer, Map<Long, CommittedOutput>> shuffles = applications.remove(application);
    if (shuffles == null) {
      return List.of();
    }
    List<CommittedOutput> all = new ArrayList<>();
    shuffles.values().forEach(attempts -> all.addAll(attempts.values()));
    uncount(all);
    return all;
  }

  synchronized List<MapOutputKey> keys(String application) {
    List<MapOutputKey> keys = new ArrayList<>();
    for (Map<Long, CommittedOutput> attempts :
        applications.getOrDefault(application, Map.of()).values()) {
      attempts.values().forEach(output -> keys.add(output.key()));
    }
    return keys;
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

  private void uncount(Collection<CommittedOutput> outputs) {
    for (CommittedOutput output : outputs) {
      count--;
      blockBytes -= output.manifest().blockBytes();
    }
  }
}
