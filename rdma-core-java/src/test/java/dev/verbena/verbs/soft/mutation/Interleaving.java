// SPDX-License-Identifier: Apache-2.0
package dev.verbena.verbs.soft.mutation;

import dev.verbena.testing.mutation.Watch;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * Runs the threads of a scenario one step at a time, a step being an access to simulated memory, in
 * an order that a seed decides. Between two steps of one thread the others may do any number.
 */
public final class Interleaving {
  private static final int RUNS_TO_REACH = 20;
  private static final int MAX_STEPS = 20_000;
  private static final long PATIENCE_SECONDS = 120;
  private static final ExecutorService THREADS =
      Executors.newCachedThreadPool(
          task -> {
            Thread thread = new Thread(task, "interleaved");
            thread.setDaemon(true);
            return thread;
          });
  private static final ThreadLocal<Agent> CURRENT = new ThreadLocal<>();

  /** What is run: made anew each time. */
  public interface Scenario {
    /** The threads. What they throw is a failure. */
    List<Runnable> threads();

    /** Looks at the outcome. */
    default void check() {}
  }

  /** The run ended while this thread was in it. */
  @SuppressWarnings("serial")
  private static final class Ended extends Error {}

  /** One thread of the scenario. */
  static final class Agent {
    private final Interleaving run;
    private final Semaphore turn = new Semaphore(0);
    private final SimulatedMemory.View view = new SimulatedMemory.View();
    private boolean finished;

    Agent(Interleaving run) {
      this.run = run;
    }

    SimulatedMemory.View view() {
      return view;
    }

    SimulatedMemory memory() {
      return run.memory;
    }

    /** Lets others go first, perhaps. */
    void step() {
      run.step(this, false);
    }

    /** Waits for others, who must go first if there are any. */
    void pause() {
      run.step(this, true);
    }
  }

  private final SplittableRandom random;
  private final double switching;
  private final SimulatedMemory memory;
  private final Agent[] agents;
  private final CountDownLatch done = new CountDownLatch(1);
  private int steps;
  private Throwable failure;

  private Interleaving(long seed, int threads) {
    this.random = new SplittableRandom(seed);
    this.switching = 0.1 + 0.4 * random.nextDouble();
    this.memory = new SimulatedMemory(random);
    this.agents = new Agent[threads];
    for (int i = 0; i < threads; i++) {
      agents[i] = new Agent(this);
    }
  }

  /** The thread of a scenario that calls; null for any other. */
  static Agent current() {
    return CURRENT.get();
  }

  /**
   * Runs a scenario with {@code runs} seeds from {@code seed} on; the first failure is thrown. One
   * that does not come to the mutant is given up soon.
   */
  static void explore(long seed, int runs, Supplier<Scenario> scenarios) {
    for (long now = seed; now < seed + runs; now++) {
      if (now == seed + RUNS_TO_REACH && !Watch.isReached()) {
        return;
      }
      Scenario scenario = scenarios.get();
      List<Runnable> threads = scenario.threads();
      try {
        new Interleaving(now, threads.size()).run(threads);
        scenario.check();
      } catch (RuntimeException | AssertionError e) {
        throw new AssertionError("with seed " + now + ": " + e, e);
      }
    }
  }

  private void run(List<Runnable> threads) {
    for (int i = 0; i < agents.length; i++) {
      Agent agent = agents[i];
      Runnable body = threads.get(i);
      THREADS.execute(() -> live(agent, body));
    }
    agents[random.nextInt(agents.length)].turn.release();
    try {
      if (!done.await(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
        throw new AssertionError("a thread waits for something other than memory");
      }
    } catch (InterruptedException e) {
      throw new AssertionError("interrupted", e);
    }
    if (failure != null) {
      throw new AssertionError(failure.toString(), failure);
    }
  }

  private void live(Agent agent, Runnable body) {
    agent.turn.acquireUninterruptibly();
    CURRENT.set(agent);
    try {
      if (failure == null) {
        body.run();
      }
    } catch (Ended e) {
      // Another thread failed.
    } catch (Throwable e) {
      if (failure == null) {
        failure = e;
      }
    } finally {
      CURRENT.remove();
      agent.finished = true;
      Agent next = other(agent);
      if (next == null) {
        done.countDown();
      } else {
        next.turn.release();
      }
    }
  }

  private void step(Agent agent, boolean waits) {
    if (++steps > MAX_STEPS && failure == null) {
      failure = new AssertionError("the threads do not come to an end");
    }
    if (failure == null && (waits || random.nextDouble() < switching)) {
      Agent next = other(agent);
      if (next != null) {
        next.turn.release();
        agent.turn.acquireUninterruptibly();
      }
    }
    if (failure != null) {
      throw new Ended();
    }
  }

  /** One that has not finished, or null. */
  private Agent other(Agent than) {
    int from = random.nextInt(agents.length);
    for (int i = 0; i < agents.length; i++) {
      Agent agent = agents[(from + i) % agents.length];
      if (agent != than && !agent.finished) {
        return agent;
      }
    }
    return null;
  }
}
