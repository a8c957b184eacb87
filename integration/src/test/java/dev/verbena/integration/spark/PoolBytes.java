// SPDX-License-Identifier: Apache-2.0
package dev.verbena.integration.spark;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** The bytes of an executor's pools in memory, from outside. */
final class PoolBytes {
  private static final Path MEMORY = Path.of("/dev/shm");
  private static final int WINDOW = 1 << 20;

  private PoolBytes() {}

  /** Inverts the first byte of a block wherever it lies; how often it was found. */
  static int spoil(String application, String executor, ByteBuffer block) throws IOException {
    byte[] wanted = new byte[block.remaining()];
    block.get(wanted);
    int found = 0;
    String pools = "verbena-" + application + "-" + executor + "-*-pool*";
    try (DirectoryStream<Path> files = Files.newDirectoryStream(MEMORY, pools)) {
      for (Path file : files) {
        if (Files.isRegularFile(file)) {
          found += spoil(file, wanted);
        }
      }
    }
    return found;
  }

  private static int spoil(Path file, byte[] wanted) throws IOException {
    int found = 0;
    try (FileChannel channel =
        FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
      byte[] window = new byte[WINDOW + wanted.length];
      for (long start = 0; start < channel.size(); start += WINDOW) {
        int length = Math.max(0, channel.read(ByteBuffer.wrap(window), start));
        for (int at = 0; at < Math.min(WINDOW, length - wanted.length + 1); at++) {
          if (java.util.Arrays.equals(window, at, at + wanted.length, wanted, 0, wanted.length)) {
            channel.write(ByteBuffer.wrap(new byte[] {(byte) ~wanted[0]}), start + at);
            found++;
          }
        }
      }
    }
    return found;
  }
}
