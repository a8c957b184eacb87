// SPDX-License-Identifier: Apache-2.0
package dev.verbena.verbs.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.verbena.memory.MappedMemory;
import dev.verbena.memory.MemoryMapper;
import dev.verbena.testing.Scale;
import dev.verbena.verbs.CompletionQueue;
import dev.verbena.verbs.CompletionStatus;
import dev.verbena.verbs.Opcode;
import dev.verbena.verbs.ProtectionDomain;
import dev.verbena.verbs.QueuePair.State;
import dev.verbena.verbs.ReceiveRequest;
import dev.verbena.verbs.SendRequest;
import dev.verbena.verbs.SharedReceiveQueue;
import dev.verbena.verbs.SharedReceiveQueueAttributes;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Many queue pairs, and regions longer than an int can tell. */
@Tag("large")
abstract class LargeConformance extends Conformance {
  private static final int PAIRS = Scale.of(1024, 64);
  private static final int RECEIVES = 256;
  private static final long GIB = 1L << 30;
  private static final long REGION = Scale.gibibytes(5) * GIB + 123_456;

  LargeConformance(VerbsUnderTest provider) {
    super(provider);
  }

  /** All draw from one shared receive queue of a quarter as many RECVs. */
  @Test
  void aThousandQueuePairsOfOneProcessAreConnectedAndUsed() {
    ProtectionDomain clientDomain = fabric().own(fabric().client().createProtectionDomain());
    ProtectionDomain serverDomain = fabric().own(fabric().server().createProtectionDomain());
    CompletionQueue sent = fabric().own(fabric().client().createCompletionQueue(1 << 14, null));
    CompletionQueue got = fabric().own(fabric().server().createCompletionQueue(1 << 14, null));
    SharedReceiveQueue shared =
        fabric()
            .own(
                serverDomain.createSharedReceiveQueue(
                    new SharedReceiveQueueAttributes(RECEIVES, 1)));
    for (int i = 0; i < RECEIVES; i++) {
      shared.postReceive(new ReceiveRequest(1).begin(i));
    }
    List<ConnectedPair> pairs = new ArrayList<>();
    try (var listener = fabric().listen()) {
      for (int i = 0; i < PAIRS; i++) {
        Endpoint client =
            new Endpoint(
                fabric(),
                fabric().client(),
                clientDomain,
                sent,
                sent,
                attributes -> attributes.withDepths(4, 4));
        Endpoint server =
            new Endpoint(
                fabric(),
                fabric().server(),
                serverDomain,
                got,
                got,
                attributes -> attributes.withDepths(4, 4).withSharedReceiveQueue(shared));
        pairs.add(fabric().connect(client, server, listener));
      }
    }
    Completions sends = new Completions(sent);
    Completions receives = new Completions(got);
    for (int round = 0; round < 2; round++) {
      expectMessagesOfAll(pairs, sends, receives, shared);
    }
    List<ConnectedPair> survivors = new ArrayList<>();
    for (int i = 0; i < PAIRS; i++) {
      if (i % 2 == 0) {
        pairs.get(i).server().queuePair().disconnect();
        pairs.get(i).client().awaitState(State.ERROR);
      } else {
        survivors.add(pairs.get(i));
      }
    }
    expectMessagesOfAll(survivors, sends, receives, shared);
  }

  private static void expectMessagesOfAll(
      List<ConnectedPair> pairs,
      Completions sends,
      Completions receives,
      SharedReceiveQueue shared) {
    for (int i = 0; i < pairs.size(); i++) {
      pairs.get(i).client().post(new SendRequest(1).sendWithImmediate(i, i).signaled());
    }
    Set<Integer> seen = new HashSet<>();
    for (int i = 0; i < pairs.size(); i++) {
      Completion received = receives.next();
      received.expectSuccess(received.id(), Opcode.RECEIVE);
      int from = received.immediate().orElseThrow();
      assertThat(received.queuePair()).isEqualTo(pairs.get(from).server().queuePair().number());
      assertThat(seen.add(from)).isTrue();
      shared.postReceive(new ReceiveRequest(1).begin(received.id()));
    }
    for (Completion done : sends.next(pairs.size())) {
      assertThat(done.status()).isEqualTo(CompletionStatus.SUCCESS);
    }
  }

  @Test
  void operationsReachEveryPartOfALargeRegion() {
    ConnectedPair pair = fabric().connect();
    TestMemory far = sparse(pair.server());
    TestMemory near = pair.client().memory(1 << 20).fill(1);
    int length = 100_000;
    long id = 0;
    for (long at : places(length)) {
      pair.client().run(near.addTo(far.write(++id, at), 0, length));
      far.expect(at, length, 1);
      near.fill(500_000, length, 9);
      pair.client().run(near.addTo(far.read(++id, at), 500_000, length));
      near.expect(500_000, length, 1);
      far.fill(at, length, 9);
      pair.server().post(far.receive(++id, at, length));
      pair.client().run(near.send(id, 0, length));
      pair.server().receives().next().expectSuccess(id, Opcode.RECEIVE, length);
      far.expect(at, length, 1);
    }
    pair.client().post(near.addTo(far.write(99, REGION - 10), 0, 11).signaled());
    pair.client().sends().next().expectStatus(99, CompletionStatus.REMOTE_ACCESS_ERROR);
  }

  @Test
  void buffersOfRequestsMayLieAnywhereInALargeRegion() {
    ConnectedPair pair = fabric().connect();
    TestMemory own = sparse(pair.client());
    TestMemory remote = pair.server().memory(1 << 20);
    int length = 100_000;
    long id = 0;
    for (long at : places(length)) {
      own.fill(at, length, at);
      pair.client().run(own.addTo(remote.write(++id, 0), at, length));
      remote.expect(0, length, at);
      own.fill(at, length, 9);
      pair.client().run(own.addTo(remote.read(++id, 0), at, length));
      own.expect(at, length, at);
    }
  }

  /** Around every seam of the mapping, and at both ends. */
  private static long[] places(int length) {
    return LongStream.of(
            0,
            GIB - 1,
            GIB - length / 2,
            2 * GIB - 4096,
            3 * GIB - length + 1,
            4 * GIB - 7,
            4 * GIB,
            5 * GIB - length / 3,
            REGION - length)
        .filter(at -> at <= REGION - length)
        .toArray();
  }

  /** A region whose pages are there only where they are used. */
  private TestMemory sparse(Endpoint end) {
    if (!has(Ability.REGISTERS_SPLIT_MAPPINGS)) {
      return end.memory(REGION);
    }
    Path file = fabric().directory().resolve("sparse");
    try {
      try (FileChannel channel =
          FileChannel.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
        channel.write(ByteBuffer.allocate(1), REGION - 1);
      }
      fabric().own(() -> Files.delete(file));
      MappedMemory memory = fabric().own(MemoryMapper.open(file));
      return new TestMemory(
          fabric().own(end.domain().register(memory, 0, REGION, Endpoint.ALL_ACCESS)));
    } catch (IOException e) {
      throw new UncheckedIOException("no sparse file", e);
    }
  }
}
