// SPDX-License-Identifier: Apache-2.0
package dev.verbena.integration.tpcds;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;

/**
 * Whether two lists of floating-point tuples can be paired one to one so that each pair agrees
 * within the relative error. Sorting alone is not enough: two tuples whose first cells agree only
 * nearly may stand in another order on each side. So pairs are sought as a bipartite matching by
 * augmenting paths (Kuhn 1955), tried first in sorted order, which nearly always succeeds at once.
 */
final class ApproximatePairing {
  static final double RELATIVE_ERROR = 1e-9;

  private static final int FREE = -1;
  private static final Comparator<Double> NULL_FIRST =
      Comparator.nullsFirst(Comparator.naturalOrder());

  private final List<List<Double>> left;
  private final List<List<Double>> right;

  /** For each on the right, the one on the left that it is paired with. */
  private final int[] partner;

  /** Two lists of the same length. */
  ApproximatePairing(List<List<Double>> left, List<List<Double>> right) {
    if (left.size() != right.size()) {
      throw new IllegalArgumentException(left.size() + " against " + right.size());
    }
    this.left = sorted(left);
    this.right = sorted(right);
    partner = new int[right.size()];
    Arrays.fill(partner, FREE);
  }

  boolean isPerfect() {
    for (int i = 0; i < left.size(); i++) {
      if (!pair(i, new boolean[right.size()])) {
        return false;
      }
    }
    return true;
  }

  private boolean pair(int i, boolean[] visited) {
    for (int step = 0; step < right.size(); step++) {
      int j = (i + step) % right.size();
      if (!visited[j] && agree(left.get(i), right.get(j))) {
        visited[j] = true;
        if (partner[j] == FREE || pair(partner[j], visited)) {
          partner[j] = i;
          return true;
        }
      }
    }
    return false;
  }

  private static boolean agree(List<Double> a, List<Double> b) {
    for (int i = 0; i < a.size(); i++) {
      if (!agree(a.get(i), b.get(i))) {
        return false;
      }
    }
    return true;
  }

  private static boolean agree(Double a, Double b) {
    if (a == null || b == null) {
      return a == null && b == null;
    }
    double x = a;
    double y = b;
    if (x == y || (Double.isNaN(x) && Double.isNaN(y))) {
      return true;
    }
    return Double.isFinite(x)
        && Double.isFinite(y)
        && Math.abs(x - y) <= RELATIVE_ERROR * Math.max(Math.abs(x), Math.abs(y));
  }

  private static List<List<Double>> sorted(List<List<Double>> tuples) {
    List<List<Double>> copy = new ArrayList<>(tuples);
    copy.sort(
        (a, b) -> {
          for (int i = 0; i < a.size(); i++) {
            int order = NULL_FIRST.compare(a.get(i), b.get(i));
            if (order != 0) {
              return order;
            }
          }
          return 0;
        });
    return copy;
  }
}
