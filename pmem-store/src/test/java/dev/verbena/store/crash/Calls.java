// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store.crash;

import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * What the store's calls to {@code dev.verbena.memory} and to its own pools mean here. A call that
 * is in none of the tables is an error, so nothing new goes by untested.
 */
final class Calls {
  private static final String MEMORY_PACKAGE = "dev/verbena/memory/";
  private static final String MAPPED = MEMORY_PACKAGE + "MappedMemory";
  private static final String MAPPER = MEMORY_PACKAGE + "MemoryMapper";
  private static final String DEVICE = MEMORY_PACKAGE + "DaxDevice";
  private static final String SYNC = MEMORY_PACKAGE + "FileSync";
  private static final String REGION = MEMORY_PACKAGE + "PersistentRegion";
  private static final String POOL = "dev/verbena/store/pool/Pool";
  private static final String EXTENT = "dev/verbena/store/pool/Extent";

  static final String ALLOCATOR = "dev/verbena/store/pool/ChunkAllocator";

  private static final Set<String> ENUMS =
      Set.of(MEMORY_PACKAGE + "DurabilityDomain", MEMORY_PACKAGE + "DurabilityMethod");

  private static final List<Mutant.How> OFF = List.of(Mutant.How.OFF);
  private static final List<Mutant.How> OFF_AND_PLAIN = List.of(Mutant.How.OFF, Mutant.How.PLAIN);

  /** Ordering, persistence, publication; with the mutants that each has. */
  private static final Map<String, List<Mutant.How>> SITES =
      Map.of(
          MAPPED + ".putLongRelease", OFF_AND_PLAIN,
          MAPPED + ".force", OFF,
          SYNC + ".file", OFF,
          SYNC + ".directory", OFF,
          REGION + ".persist", OFF,
          POOL + ".persist", OFF,
          POOL + ".publish", OFF,
          POOL + ".retract", OFF,
          EXTENT + ".retract", OFF);

  /** What writers elsewhere ask of their devices and of the store, to persist or to publish. */
  private static final Set<String> WIRE_SITES =
      Set.of(
          "dev/verbena/store/grant/AppendFlush.add",
          "dev/verbena/rpc/BulkBatch.flush",
          "dev/verbena/rpc/BulkBatch.publish",
          "dev/verbena/store/grant/GrantClient.persist");

  /** Answered by {@link SimulatedMemory}, under the same names. */
  private static final Set<String> SIMULATED =
      Set.of(
          MAPPED + ".putLong",
          MAPPED + ".putInt",
          MAPPED + ".put",
          MAPPED + ".copyTo",
          MAPPED + ".zero",
          MAPPED + ".putLongRelease",
          MAPPED + ".force",
          MAPPED + ".close",
          MAPPER + ".create",
          MAPPER + ".createSynchronous",
          MAPPER + ".open",
          MAPPER + ".openSynchronous",
          SYNC + ".file",
          SYNC + ".directory");

  /** Neither store nor order. */
  private static final Set<String> HARMLESS =
      Set.of(
          MEMORY_PACKAGE + "Uninterrupted.call",
          MEMORY_PACKAGE + "LateFault.collect",
          MAPPED + ".isTruncated",
          MAPPED + ".get",
          MAPPED + ".getInt",
          MAPPED + ".getLong",
          MAPPED + ".size",
          MAPPED + ".of",
          REGION + ".memory",
          REGION + ".domain",
          REGION + ".method");

  /** Of devices, on which no crash test makes a pool: above the mapping all pools are alike. */
  private static final Set<String> OF_DEVICES =
      Set.of(
          DEVICE + ".tryOpen",
          DEVICE + ".size",
          DEVICE + ".alignment",
          DEVICE + ".map",
          DEVICE + ".close");

  /** A view can be written through; this one is of a fetch buffer, never of a pool. */
  private static final Set<String> VIEWS =
      Set.of("dev.verbena.store.serve.FetchBatch " + MAPPED + ".slice");

  private Calls() {}

  static boolean isSite(String owner, String name) {
    return SITES.containsKey(owner + "." + name) || isWireSite(owner, name);
  }

  /** Whether it is one of those that only a writer elsewhere comes to. */
  static boolean isWireSite(String owner, String name) {
    return WIRE_SITES.contains(owner + "." + name);
  }

  static List<Mutant.How> mutantsOf(String owner, String name) {
    return SITES.getOrDefault(owner + "." + name, OFF);
  }

  static boolean isSimulated(String owner, String name) {
    return SIMULATED.contains(owner + "." + name);
  }

  /** Whether it is of the memory package and nobody has said what it means. */
  static boolean isUnknown(String caller, String owner, String name) {
    String call = owner + "." + name;
    return owner.startsWith(MEMORY_PACKAGE)
        && !ENUMS.contains(owner)
        && !SITES.containsKey(call)
        && !SIMULATED.contains(call)
        && !HARMLESS.contains(call)
        && !OF_DEVICES.contains(call)
        && !VIEWS.contains(caller + " " + call);
  }
}
