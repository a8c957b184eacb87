// SPDX-License-Identifier: Apache-2.0
package dev.verbena.spark;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.channels.WritableByteChannel;
import org.junit.jupiter.api.Test;

final class StoredBlockRegionTest {
  private static final int BLOCKS = 200;

  /** Takes all and keeps nothing. */
  private static final class Sink implements WritableByteChannel {
    @Override
    public int write(ByteBuffer bytes) {
      int length = bytes.remaining();
      bytes.position(bytes.limit());
      return length;
    }

    @Override
    public boolean isOpen() {
      return true;
    }

    @Override
    public void close() {}
  }

  @Test
  void aSmallBlockIsSentFromABufferOfItsSize() throws IOException {
    byte[] block = new byte[100];
    Sink sink = new Sink();
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    send(block, sink);
    long before = threads.getCurrentThreadAllocatedBytes();
    for (int i = 0; i < BLOCKS; i++) {
      send(block, sink);
    }
    assertThat((threads.getCurrentThreadAllocatedBytes() - before) / BLOCKS).isLessThan(4096);
  }

  private static void send(byte[] block, Sink sink) throws IOException {
    StoredBlockRegion region =
        new StoredBlockRegion(block.length, () -> new ByteArrayInputStream(block));
    assertThat(region.transferTo(sink, 0)).isEqualTo(block.length);
    region.release();
  }
}
