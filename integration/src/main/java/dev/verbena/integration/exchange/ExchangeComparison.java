// SPDX-License-Identifier: Apache-2.0
package dev.verbena.integration.exchange;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * Whether two applications wrote the same in all shuffles of a query.
 *
 * @param shuffles how many were compared
 * @param mapOutputs how many were compared, by record count and checksum
 * @param exempt those that were not, each with the reason
 * @param differences in words: shuffle, map index, both values; empty if there is none
 */
public record ExchangeComparison(
    int shuffles, int mapOutputs, List<String> exempt, List<String> differences) {
  /** Of no query. */
  public static final ExchangeComparison NONE = new ExchangeComparison(0, 0, List.of(), List.of());

  /**
   * Holds one application's shuffles against the reference's. They are paired by their place in the
   * plan, and must stand over the same plan there.
   */
  public static ExchangeComparison of(List<Shuffle> reference, List<Shuffle> other) {
    List<String> exempt = new ArrayList<>();
    List<String> differences = new ArrayList<>();
    if (reference.size() != other.size()) {
      differences.add(
          "the plans differ: " + reference.size() + " shuffles against " + other.size());
      return new ExchangeComparison(0, 0, exempt, differences);
    }
    int shuffles = 0;
    int mapOutputs = 0;
    for (int i = 0; i < reference.size(); i++) {
      Shuffle one = reference.get(i);
      Shuffle two = other.get(i);
      if (!one.plan().equals(two.plan())) {
        differences.add(
            "the plans differ at %s:%n%s%nagainst%n%s"
                .formatted(title(i, one, two), one.plan(), two.plan()));
      } else if (!one.exempt().isEmpty()) {
        exempt.add(title(i, one, two) + ": " + one.exempt());
      } else {
        shuffles++;
        mapOutputs += Math.min(one.outputs().size(), two.outputs().size());
        compare(title(i, one, two), one.outputs(), two.outputs(), differences);
      }
    }
    return new ExchangeComparison(shuffles, mapOutputs, exempt, differences);
  }

  /** Both together. */
  public ExchangeComparison plus(ExchangeComparison other) {
    return new ExchangeComparison(
        shuffles + other.shuffles,
        mapOutputs + other.mapOutputs,
        concatenated(exempt, other.exempt),
        concatenated(differences, other.differences));
  }

  /** The counts. */
  public String inWords() {
    return "%d of %d shuffles compared, %d map outputs, %d differences"
        .formatted(shuffles, shuffles + exempt.size(), mapOutputs, differences.size());
  }

  private static List<String> concatenated(List<String> first, List<String> second) {
    return Stream.concat(first.stream(), second.stream()).toList();
  }

  private static void compare(
      String title, List<MapOutput> one, List<MapOutput> two, List<String> differences) {
    if (one.size() != two.size()) {
      differences.add(title + ": " + one.size() + " map outputs against " + two.size());
      return;
    }
    for (int map = 0; map < one.size(); map++) {
      MapOutput a = one.get(map);
      MapOutput b = two.get(map);
      if (!a.equals(b)) {
        differences.add(title + ", map " + map + ": " + words(a) + " against " + words(b));
      } else if (a.records() > 0 && a.checksum() == 0) {
        // Zero is what Spark tells if it did not compute one, or could not.
        differences.add(title + ", map " + map + ": no checksum on either side");
      }
    }
  }

  private static String title(int place, Shuffle one, Shuffle two) {
    return "shuffle %d (%s; %d and %d)".formatted(place, one.name(), one.id(), two.id());
  }

  private static String words(MapOutput output) {
    return "%d records, checksum %016x".formatted(output.records(), output.checksum());
  }
}
