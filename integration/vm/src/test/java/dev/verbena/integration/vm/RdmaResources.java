// SPDX-License-Identifier: Apache-2.0
package dev.verbena.integration.vm;

import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * How many objects of each kind the kernel holds for a link, whoever made them: {@code rdma
 * resource show}. Its own queue pair for management is among them.
 *
 * @param counts by kind: qp, cq, pd, cm_id, mr, ctx, srq
 */
record RdmaResources(TreeMap<String, Integer> counts) {
  private static final Pattern KIND_AND_COUNT = Pattern.compile("([a-z_]+) (\\d+)");

  /** Those of now. */
  static RdmaResources of(Link link) {
    TreeMap<String, Integer> counts = new TreeMap<>();
    Command.run("rdma", "resource", "show")
        .lines()
        .filter(line -> line.contains(" " + link.device() + ":"))
        .forEach(
            line -> {
              Matcher matcher =
                  KIND_AND_COUNT.matcher(line.substring(line.indexOf(link.device() + ":")));
              while (matcher.find()) {
                counts.put(matcher.group(1), Integer.valueOf(matcher.group(2)));
              }
            });
    if (counts.isEmpty()) {
      throw new AssertionError("rdma resource show tells nothing of " + link.device());
    }
    return new RdmaResources(counts);
  }

  /** The same without one kind. */
  RdmaResources but(String kind) {
    TreeMap<String, Integer> others = new TreeMap<>(counts);
    others.remove(kind);
    return new RdmaResources(others);
  }

  /** How many of a kind there are. */
  int count(String kind) {
    return counts.getOrDefault(kind, 0);
  }
}
