// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store.serve;

import static dev.verbena.store.serve.ServingChild.block;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.verbena.store.BlockSink;
import dev.verbena.store.StoreException;
import dev.verbena.testing.Await;
import dev.verbena.time.Deadline;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Registered buffers come back from fetches that fail, over whatever carrier. */
abstract class FetchBuffersContract extends StoreServingBed {
  @Test
  void buffersComeBackWhenThePeerIsDroppedInTheMiddleOfAFetch() {
    child.write(0, 12, 1, 4 * MIB);
    List<BlockRange> ranges = new ArrayList<>();
    for (int output = 0; output < 12; output++) {
      ranges.add(range(output));
    }
    for (int round = 0; round < 3; round++) {
      Collected told = new Collected();
      client.fetch(
          child.endpoint(),
          ranges,
          new FetchListener() {
            @Override
            public void onBlock(FetchedBlock block) {
              if (block.range().equals(range(0))) {
                client.peer(child.endpoint()).connection().close();
              }
              told.onBlock(block);
            }

            @Override
            public void onFailure(BlockRange range, StoreException failure) {
              told.onFailure(range, failure);
            }
          });
      told.await(12);
      told.blocks.forEach(
          (range, bytes) ->
              assertThat(bytes).isEqualTo(block(range.output().mapAttempt(), 0, 4 * MIB)));
    }
    Await.until("all buffers", () -> client.buffers().isIdle());
  }

  @Test
  void buffersComeBackOfReadsThatAreRefused() {
    child.write(0, 1, 1, 4 * MIB);
    Peer peer = client.peer(child.endpoint());
    RangePlan plan = client.planOne(peer, range(0));
    peer.connection().close();
    Collected told = new Collected();
    FetchBatch.start(
        client,
        peer,
        List.of(plan),
        told,
        Deadline.after(Await.PATIENCE),
        client.buffers().forBlocks(child.endpoint(), 4 * MIB).orElseThrow());
    assertThat(told.await(1).failures).hasSize(1);
    BlockSink nothing =
        new BlockSink() {
          @Override
          public void put(byte[] source, int offset, int length) {
            throw new AssertionError("nothing can come");
          }

          @Override
          public void put(ByteBuffer source) {
            throw new AssertionError("nothing can come");
          }
        };
    PieceReader reader = new PieceReader(client, peer, Await.PATIENCE);
    assertThatThrownBy(() -> reader.copy(plan, nothing)).isInstanceOf(StoreException.class);
    assertThat(client.buffers().isIdle()).isTrue();
  }
}
