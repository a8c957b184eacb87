// SPDX-License-Identifier: Apache-2.0
package dev.verbena.verbs.soft;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The faults of a {@link FaultPlan}. Counts every step passed; what is drawn depends on the seed
 * and the count alone, so a run whose steps come in the same order meets the same faults.
 */
final class PlannedFaults extends FaultPort {
  private static final Logger LOG = LoggerFactory.getLogger(PlannedFaults.class);
  private static final long LOOK_NANOS = 1_000_000;

  private final FaultPlan plan;
  private final Map<FaultStep, Passings> steps = new EnumMap<>(FaultStep.class);
  private final AtomicInteger links = new AtomicInteger();
  private final AtomicInteger stopped = new AtomicInteger();
  private volatile boolean begun;
  private volatile boolean released;

  PlannedFaults(FaultPlan plan) {
    this.plan = plan;
    this.begun = !plan.held();
    for (FaultStep step : FaultStep.values()) {
      List<FaultRule> rules = plan.rules().stream().filter(rule -> rule.step() == step).toList();
      steps.put(step, new Passings(plan.seed() + step.name().hashCode(), rules));
    }
    LOG.warn("this device has faults: {}", plan);
  }

  /** Begins a plan that is held. */
  void begin() {
    begun = true;
  }

  /** How often each step was passed. */
  long count(FaultStep step) {
    return steps.get(step).count.get();
  }

  /** Threads that stand at a step. */
  int stopped() {
    return stopped.get();
  }

  /** Lets the threads that stand go on; none stops any more. */
  void release() {
    released = true;
  }

  @Override
  void at(FaultStep step) {
    if (!begun) {
      return;
    }
    Passings passings = steps.get(step);
    long count = passings.count.incrementAndGet();
    for (FaultRule rule : passings.rules) {
      if (!rule.action().concernsFrames() && passings.meets(rule, count)) {
        act(rule);
      }
    }
  }

  @Override
  int firstPart(int run) {
    return run / 2;
  }

  @Override
  FrameFate frameBuilt() {
    at(FaultStep.FRAME_BUILT);
    if (!begun) {
      return FrameFate.GOES_OUT;
    }
    Passings passings = steps.get(FaultStep.FRAME_BUILT);
    long count = passings.count.get();
    for (FaultRule rule : passings.rules) {
      if (rule.action().concernsFrames() && passings.meets(rule, count)) {
        return rule.action() == FaultRule.Action.DROP
            ? FrameFate.IS_LOST
            : FrameFate.GOES_OUT_TWICE;
      }
    }
    return FrameFate.GOES_OUT;
  }

  @Override
  Duration patience() {
    return plan.patience() == null ? super.patience() : plan.patience();
  }

  @Override
  LinkModel newLink() {
    return plan.link() == null
        ? null
        : new LinkModel(plan.link(), new SplittableRandom(plan.seed() + links.getAndIncrement()));
  }

  private void act(FaultRule rule) {
    switch (rule.action()) {
      case KILL -> {
        signal("KILL");
        stop();
      }
      case FREEZE -> signal("STOP");
      case STOP -> stop();
      case FAIL -> throw new InjectedFault(rule.step());
      case DELAY -> pause(rule.delay().toNanos());
      case DROP, DUPLICATE -> throw new IllegalStateException(rule + " concerns frames");
    }
  }

  private void stop() {
    stopped.incrementAndGet();
    while (!released) {
      LockSupport.parkNanos(LOOK_NANOS);
    }
    stopped.decrementAndGet();
  }

  private static void pause(long nanos) {
    long end = System.nanoTime() + nanos;
    for (long left = nanos; left > 0; left = end - System.nanoTime()) {
      LockSupport.parkNanos(left);
    }
  }

  /** A process can't signal itself from Java; the shell stays until the signal has surely come. */
  private static void signal(String name) {
    String script = "kill -" + name + " " + ProcessHandle.current().pid() + "; sleep 1";
    boolean interrupted = false;
    try {
      Process shell = new ProcessBuilder("sh", "-c", script).start();
      while (shell.isAlive()) {
        try {
          shell.waitFor();
        } catch (InterruptedException e) {
          interrupted = true;
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException("no shell to send SIG" + name, e);
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /** How often a step was passed, and what is to happen there. */
  private static final class Passings {
    private static final long GOLDEN = 0x9e3779b97f4a7c15L;

    private final long seed;
    private final List<FaultRule> rules;
    private final AtomicLong count = new AtomicLong();

    Passings(long seed, List<FaultRule> rules) {
      this.seed = seed;
      this.rules = rules;
    }

    boolean meets(FaultRule rule, long time) {
      return time >= rule.first()
          && time <= rule.last()
          && new SplittableRandom(seed + time * GOLDEN).nextLong(rule.oneIn()) == 0;
    }
  }
}
