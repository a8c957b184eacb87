// SPDX-License-Identifier: Apache-2.0
package dev.verbena.spark;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.apache.spark.network.client.StreamCallbackWithID;
import org.apache.spark.storage.BlockId;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Writes a piece of a migrating map output to a file, and hands the file on. One thread. */
final class IncomingPiece implements StreamCallbackWithID {
  private static final Logger LOG = LoggerFactory.getLogger(IncomingPiece.class);

  /** Owns the file from then on. */
  @FunctionalInterface
  interface OnComplete {
    void accept(Path file) throws IOException;
  }

  private final BlockId id;
  private final Path file;
  private final OnComplete onComplete;
  private FileChannel channel;

  IncomingPiece(BlockId id, Path file, OnComplete onComplete) {
    this.id = id;
    this.file = file;
    this.onComplete = onComplete;
  }

  @Override
  public String getID() {
    return id.name();
  }

  @Override
  public void onData(String stream, ByteBuffer data) throws IOException {
    open();
    while (data.hasRemaining()) {
      channel.write(data);
    }
  }

  @Override
  public void onComplete(String stream) throws IOException {
    open();
    channel.close();
    onComplete.accept(file);
  }

  @Override
  public void onFailure(String stream, Throwable cause) throws IOException {
    LOG.warn("Receiving {} failed", id, cause);
    if (channel != null) {
      channel.close();
    }
    Files.deleteIfExists(file);
  }

  private void open() throws IOException {
    if (channel == null) {
      channel = FileChannel.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
    }
  }
}
