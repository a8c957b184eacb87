// SPDX-License-Identifier: Apache-2.0
package dev.verbena.architecture.offender.store;

import java.io.IOException;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;

/** Breaks the rule that only the memory package maps memory. */
public final class MapsAFile {
  private MapsAFile() {}

  /** A mapping that nobody manages. */
  public static MappedByteBuffer map(FileChannel channel) throws IOException {
    return channel.map(FileChannel.MapMode.READ_ONLY, 0, channel.size());
  }
}
