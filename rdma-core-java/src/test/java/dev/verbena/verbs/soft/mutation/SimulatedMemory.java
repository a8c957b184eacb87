// SPDX-License-Identifier: Apache-2.0
package dev.verbena.verbs.soft.mutation;

import dev.verbena.memory.Fences;
import dev.verbena.memory.MappedMemory;
import dev.verbena.testing.mutation.Watch;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Memory in which a load may be as old as the memory model allows, be the CPU kinder or not. Each
 * word has all values that it ever had, in the order of the stores; each thread has a view: how far
 * it has come with each word, below which it never reads again. A release store carries its
 * thread's view, an acquire load takes on the view of what it reads, and a full fence takes on the
 * views of all full fences before it (Kang et al., "A Promising Semantics for Relaxed-Memory
 * Concurrency", 2017, without promises). A read-modify-write reads the latest value, acquires and
 * releases; later fences see it, but it is none itself. Fields of the heap are as the interleaving
 * has them; those of {@link AtomicBoolean} and {@link AtomicReference} also acquire and release.
 *
 * <p>Called by the copies of the software NIC's classes in place of {@link MappedMemory}. Threads
 * of no scenario reach the memory itself, to which every store goes through.
 */
public final class SimulatedMemory {
  /** How far a thread, or what it released, has come with each word. */
  static final class View {
    private int[] at = new int[32];

    int get(int word) {
      return word < at.length ? at[word] : 0;
    }

    void set(int word, int index) {
      if (word >= at.length) {
        at = Arrays.copyOf(at, 2 * word);
      }
      at[word] = index;
    }

    void join(View other) {
      for (int word = 0; word < other.at.length; word++) {
        if (other.at[word] > get(word)) {
          set(word, other.at[word]);
        }
      }
    }

    View copy() {
      View copy = new View();
      copy.at = at.clone();
      return copy;
    }
  }

  private record Place(MappedMemory memory, long offset) {}

  private record Message(long value, View released) {}

  private record Word(int number, List<Message> messages) {
    int latest() {
      return messages.size() - 1;
    }
  }

  private final SplittableRandom random;
  private final Map<Place, Word> words = new HashMap<>();
  private final IdentityHashMap<Object, View> released = new IdentityHashMap<>();
  private final View fenced = new View();

  SimulatedMemory(SplittableRandom random) {
    this.random = random;
  }

  private Word word(MappedMemory memory, long offset, boolean isInt) {
    return words.computeIfAbsent(
        new Place(memory, offset),
        place -> {
          Word word = new Word(words.size(), new ArrayList<>());
          long now = isInt ? memory.getInt(offset) : memory.getLong(offset);
          word.messages.add(new Message(now, null));
          return word;
        });
  }

  private long load(Word word, View view, boolean acquire) {
    int from = view.get(word.number);
    int latest = word.latest();
    int index = from == latest || random.nextBoolean() ? latest : random.nextInt(from, latest + 1);
    return read(word, view, index, acquire);
  }

  private static long read(Word word, View view, int index, boolean acquire) {
    Message message = word.messages.get(index);
    view.set(word.number, index);
    if (acquire && message.released != null) {
      view.join(message.released);
    }
    return message.value;
  }

  private static void store(Word word, View view, long value, boolean release) {
    view.set(word.number, word.messages.size());
    word.messages.add(new Message(value, release ? view.copy() : null));
  }

  private static long load(MappedMemory memory, long offset, boolean isInt, boolean acquire) {
    Interleaving.Agent agent = Interleaving.current();
    if (agent == null) {
      return isInt ? memory.getIntAcquire(offset) : memory.getLongAcquire(offset);
    }
    agent.step();
    SimulatedMemory simulated = agent.memory();
    return simulated.load(simulated.word(memory, offset, isInt), agent.view(), acquire);
  }

  private static void store(
      MappedMemory memory, long offset, boolean isInt, long value, boolean release) {
    Interleaving.Agent agent = Interleaving.current();
    if (agent != null) {
      agent.step();
      store(agent.memory().word(memory, offset, isInt), agent.view(), value, release);
    }
    if (isInt) {
      memory.putIntRelease(offset, (int) value);
    } else {
      memory.putLongRelease(offset, value);
    }
  }

  /** What is there, for a read-modify-write; the caller goes on without a step. */
  private static long latest(MappedMemory memory, long offset, Interleaving.Agent agent) {
    agent.step();
    Word word = agent.memory().word(memory, offset, false);
    return read(word, agent.view(), word.latest(), true);
  }

  private static void replace(
      MappedMemory memory, long offset, long value, Interleaving.Agent agent) {
    Word word = agent.memory().word(memory, offset, false);
    store(word, agent.view(), value, true);
    agent.memory().fenced.set(word.number, word.latest());
    memory.putLongRelease(offset, value);
  }

  public static long getLong(MappedMemory memory, long offset) {
    return load(memory, offset, false, false);
  }

  public static int getInt(MappedMemory memory, long offset) {
    return (int) load(memory, offset, true, false);
  }

  public static void putLong(MappedMemory memory, long offset, long value) {
    store(memory, offset, false, value, false);
  }

  public static void putInt(MappedMemory memory, long offset, int value) {
    store(memory, offset, true, value, false);
  }

  public static long getLongAcquire(MappedMemory memory, long offset) {
    return load(memory, offset, false, true);
  }

  public static void putLongRelease(MappedMemory memory, long offset, long value) {
    store(memory, offset, false, value, true);
  }

  public static long compareAndExchangeLong(
      MappedMemory memory, long offset, long expected, long value) {
    Interleaving.Agent agent = Interleaving.current();
    if (agent == null) {
      return memory.compareAndExchangeLong(offset, expected, value);
    }
    long found = latest(memory, offset, agent);
    if (found == expected) {
      replace(memory, offset, value, agent);
    }
    return found;
  }

  public static boolean compareAndSetLong(
      MappedMemory memory, long offset, long expected, long value) {
    return compareAndExchangeLong(memory, offset, expected, value) == expected;
  }

  public static long getAndAddLong(MappedMemory memory, long offset, long delta) {
    Interleaving.Agent agent = Interleaving.current();
    if (agent == null) {
      return memory.getAndAddLong(offset, delta);
    }
    long found = latest(memory, offset, agent);
    replace(memory, offset, found + delta, agent);
    return found;
  }

  /** The mutant of {@link #compareAndExchangeLong}: a load and a store. */
  public static long compareAndExchangeLongPlain(
      MappedMemory memory, long offset, long expected, long value) {
    long found = getLong(memory, offset);
    if (found == expected) {
      putLong(memory, offset, value);
    }
    return found;
  }

  /** The mutant of {@link #compareAndSetLong}. */
  public static boolean compareAndSetLongPlain(
      MappedMemory memory, long offset, long expected, long value) {
    return compareAndExchangeLongPlain(memory, offset, expected, value) == expected;
  }

  /** The mutant of {@link #getAndAddLong}. */
  public static long getAndAddLongPlain(MappedMemory memory, long offset, long delta) {
    long found = getLong(memory, offset);
    putLong(memory, offset, found + delta);
    return found;
  }

  private static void acquire(Object atomic) {
    Interleaving.Agent agent = Interleaving.current();
    View view = agent == null ? null : agent.memory().released.get(atomic);
    if (view != null) {
      agent.view().join(view);
    }
  }

  private static void release(Object atomic) {
    Interleaving.Agent agent = Interleaving.current();
    if (agent != null) {
      agent.memory().released.computeIfAbsent(atomic, key -> new View()).join(agent.view());
    }
  }

  public static boolean get(AtomicBoolean atomic) {
    acquire(atomic);
    return atomic.get();
  }

  public static void set(AtomicBoolean atomic, boolean value) {
    release(atomic);
    atomic.set(value);
  }

  public static boolean compareAndSet(AtomicBoolean atomic, boolean expected, boolean value) {
    acquire(atomic);
    boolean done = atomic.compareAndSet(expected, value);
    if (done) {
      release(atomic);
    }
    return done;
  }

  public static Object get(AtomicReference<?> atomic) {
    acquire(atomic);
    return atomic.get();
  }

  public static <T> boolean compareAndSet(AtomicReference<T> atomic, T expected, T value) {
    acquire(atomic);
    boolean done = atomic.compareAndSet(expected, value);
    if (done) {
      release(atomic);
    }
    return done;
  }

  public static <T> Object getAndSet(AtomicReference<T> atomic, T value) {
    acquire(atomic);
    release(atomic);
    return atomic.getAndSet(value);
  }

  /** As {@link Fences#full}. */
  public static void full() {
    Interleaving.Agent agent = Interleaving.current();
    if (agent == null) {
      Fences.full();
      return;
    }
    agent.step();
    View all = agent.memory().fenced;
    all.join(agent.view());
    agent.view().join(all);
  }

  /** In place of Thread.onSpinWait and Thread.yield. */
  public static void pause() {
    Interleaving.Agent agent = Interleaving.current();
    if (agent == null) {
      Watch.spin();
      Thread.yield();
    } else {
      agent.pause();
    }
  }
}
