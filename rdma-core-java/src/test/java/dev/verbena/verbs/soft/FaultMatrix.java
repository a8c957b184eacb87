// SPDX-License-Identifier: Apache-2.0
package dev.verbena.verbs.soft;

import dev.verbena.testing.Await;
import dev.verbena.verbs.CompletionStatus;
import dev.verbena.verbs.Device;
import dev.verbena.verbs.DeviceOptions.CarrierPolicy;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;

/**
 * Which steps each family of operations passes at which end, over one carrier: found by running
 * them, so that a new step or a new way to it is in.
 */
final class FaultMatrix {
  /** Rounds of each family. */
  static final int ROUNDS = 6;

  /**
   * A step that a family passes.
   *
   * @param acts whether at the end that posts; else at the other
   * @param passed how often in {@link #ROUNDS} rounds
   */
  record Cell(FaultFamily family, boolean acts, FaultStep step, long passed) {
    /** One of the passings, by chance. */
    long draw(SplittableRandom random) {
      return 1 + random.nextLong((passed + 1) / 2);
    }
  }

  private final List<Cell> cells = new ArrayList<>();

  private FaultMatrix() {}

  /** Runs all families. */
  static FaultMatrix of(CarrierPolicy policy) {
    FaultMatrix matrix = new FaultMatrix();
    try (FaultBed bed = new FaultBed(policy)) {
      for (FaultFamily family : FaultFamily.values()) {
        matrix.run(bed, family);
      }
    }
    return matrix;
  }

  private void run(FaultBed bed, FaultFamily family) {
    try (Device near = bed.open("held");
        Device far = bed.open("held");
        FaultEnd actor = new FaultEnd(near, family, Await.PATIENCE);
        FaultEnd target = new FaultEnd(far, family, Await.PATIENCE)) {
      bed.connect(actor, target);
      actor.begin();
      target.begin();
      FaultBed.port(near).begin();
      FaultBed.port(far).begin();
      for (int round = 0; round < ROUNDS; round++) {
        CompletionStatus status = actor.act(family, target.offer(), round);
        if (status != CompletionStatus.SUCCESS) {
          throw new AssertionError(family + " ended in " + status);
        }
      }
      for (FaultStep step : FaultStep.values()) {
        note(new Cell(family, true, step, FaultBed.port(near).count(step)));
        note(new Cell(family, false, step, FaultBed.port(far).count(step)));
      }
    }
  }

  private void note(Cell cell) {
    if (cell.passed() > 0) {
      cells.add(cell);
    }
  }

  List<Cell> cells() {
    return cells;
  }

  /** The steps that some family passes at some end. */
  Set<FaultStep> steps() {
    Set<FaultStep> steps = EnumSet.noneOf(FaultStep.class);
    cells.forEach(cell -> steps.add(cell.step()));
    return steps;
  }

  /** Cells in which each step is at each end that passes it, and each family. */
  List<Cell> cover(SplittableRandom random) {
    List<Cell> chosen = new ArrayList<>();
    for (boolean acts : new boolean[] {true, false}) {
      for (FaultStep step : FaultStep.values()) {
        drawOne(
            cells.stream().filter(cell -> cell.acts() == acts && cell.step() == step).toList(),
            random,
            chosen);
      }
    }
    for (FaultFamily family : FaultFamily.values()) {
      if (chosen.stream().noneMatch(cell -> cell.family() == family)) {
        drawOne(cells.stream().filter(cell -> cell.family() == family).toList(), random, chosen);
      }
    }
    return chosen;
  }

  private static void drawOne(List<Cell> from, SplittableRandom random, List<Cell> into) {
    if (!from.isEmpty()) {
      into.add(from.get(random.nextInt(from.size())));
    }
  }
}
