// SPDX-License-Identifier: Apache-2.0
package dev.verbena.verbs.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.verbena.testing.Await;
import dev.verbena.testing.Pattern;
import dev.verbena.testing.Scale;
import dev.verbena.verbs.CompletionStatus;
import dev.verbena.verbs.SendRequest;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.Future;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Many messages of many sizes at once, each with its checksum. */
abstract class StressConformance extends Conformance {
  private static final int WINDOW = 48;
  private static final int SLOT = 2048;
  private static final int HEADER = Long.BYTES + Long.BYTES;

  StressConformance(VerbsUnderTest provider) {
    super(provider);
  }

  @Test
  void messagesInBothDirectionsFromTwoThreadsArriveWholeAndInOrder() {
    int messages = Scale.of(30_000, 1000);
    ConnectedPair pair = fabric().connect();
    Talker client = new Talker(pair.client(), messages);
    Talker server = new Talker(pair.server(), messages);
    Future<?> first = fabric().async(client::run);
    Future<?> second = fabric().async(server::run);
    Await.result("client", first);
    Await.result("server", second);
  }

  @Test
  void severalConnectionsTalkAtOnce() {
    List<Future<?>> talkers = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      ConnectedPair pair = fabric().connect();
      int messages = Scale.of(3000, 100);
      talkers.add(fabric().async(new Talker(pair.client(), messages)::run));
      talkers.add(fabric().async(new Talker(pair.server(), messages)::run));
    }
    talkers.forEach(talker -> Await.result("talker", talker));
  }

  /** WRITEs, READs and SENDs mixed; a model of the remote memory says what must be read. */
  @Test
  @Timeout(120)
  void aRandomMixOfOperationsBehavesAsItsModel() {
    int size = 1 << 20;
    ConnectedPair pair = fabric().connect();
    TestMemory local = pair.client().memory(2L * size);
    TestMemory remote = pair.server().memory(size).fill(0);
    byte[] model = remote.bytes(0, size);
    SplittableRandom random = new SplittableRandom(42);
    int steps = Scale.of(2000, 200);
    for (int step = 0; step < steps; step++) {
      int length = 1 + random.nextInt(random.nextInt(4) == 0 ? size / 4 : 500);
      int at = random.nextInt(size - length);
      if (random.nextBoolean()) {
        byte[] data = new Pattern(step).bytes(0, length);
        local.put(at, data);
        System.arraycopy(data, 0, model, at, length);
        pair.client().run(local.addTo(remote.write(step, at), at, length));
      } else {
        pair.client().run(local.addTo(remote.read(step, at), (long) size + at, length));
        byte[] expected = new byte[length];
        System.arraycopy(model, at, expected, 0, length);
        local.expect((long) size + at, expected);
      }
    }
    remote.expect(0, model);
  }

  /** One end's thread: keeps a window of SENDs out and checks what comes in. */
  private static final class Talker {
    private final Endpoint end;
    private final TestMemory outgoing;
    private final TestMemory incoming;
    private final int messages;
    private final SplittableRandom random;
    private int sent;
    private int acknowledged;
    private int received;

    Talker(Endpoint end, int messages) {
      this.end = end;
      this.messages = messages;
      this.random = new SplittableRandom(end.queuePair().number());
      outgoing = end.memory((long) WINDOW * SLOT);
      incoming = end.memory((long) WINDOW * SLOT);
      for (int slot = 0; slot < WINDOW; slot++) {
        end.post(incoming.receive(slot, (long) slot * SLOT, SLOT));
      }
    }

    Void run() {
      while (acknowledged < messages || received < messages) {
        boolean moved = false;
        if (sent < messages && sent - acknowledged < WINDOW) {
          send();
          moved = true;
        }
        for (Completion done : end.sends().available()) {
          assertThat(done.status()).isEqualTo(CompletionStatus.SUCCESS);
          acknowledged = (int) done.id() + 1;
          moved = true;
        }
        for (Completion done : end.receives().available()) {
          receive(done);
          moved = true;
        }
        if (Thread.interrupted()) {
          throw new AssertionError("gave up at " + received + " of " + messages);
        }
        if (!moved) {
          Thread.yield();
        }
      }
      return null;
    }

    /** The last request of each half window is signaled, which frees the ones before it. */
    private void send() {
      long offset = (long) (sent % WINDOW) * SLOT;
      byte[] body = new byte[random.nextInt(SLOT - HEADER)];
      random.nextBytes(body);
      byte[] message = new byte[HEADER + body.length];
      System.arraycopy(body, 0, message, HEADER, body.length);
      ByteBuffer.wrap(message).putLong(sent).putLong(checksum(message));
      outgoing.put(offset, message);
      SendRequest request = outgoing.send(sent, offset, message.length);
      boolean last = sent % (WINDOW / 2) == WINDOW / 2 - 1 || sent == messages - 1;
      end.post(last ? request.signaled() : request);
      sent++;
    }

    private void receive(Completion done) {
      assertThat(done.status()).isEqualTo(CompletionStatus.SUCCESS);
      long offset = done.id() * SLOT;
      byte[] message = incoming.bytes(offset, done.bytes());
      ByteBuffer header = ByteBuffer.wrap(message);
      assertThat(header.getLong()).isEqualTo(received);
      assertThat(header.getLong()).isEqualTo(checksum(message));
      received++;
      end.post(incoming.receive(done.id(), offset, SLOT));
    }

    private static long checksum(byte[] message) {
      CRC32C crc = new CRC32C();
      crc.update(message, HEADER, message.length - HEADER);
      return crc.getValue();
    }
  }
}
