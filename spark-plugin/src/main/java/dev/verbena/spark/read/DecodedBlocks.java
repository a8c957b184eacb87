// SPDX-License-Identifier: Apache-2.0
package dev.verbena.spark.read;

import dev.verbena.spark.interop.Raise;
import java.io.IOException;
import java.io.InputStream;

/**
 * Decoded bytes of directly read blocks. What does not decode, or can't be read on, ends in Spark's
 * fetch failure, which has the map task run again.
 */
final class DecodedBlocks extends InputStream {
  /** Turns a failure to read or to decode into what is thrown. */
  @FunctionalInterface
  interface OnFailure {
    Throwable explain(IOException failure);
  }

  private final InputStream decoding;
  private final InputStream raw;
  private final OnFailure onFailure;
  private boolean closed;

  DecodedBlocks(InputStream decoding, InputStream raw, OnFailure onFailure) {
    this.decoding = decoding;
    this.raw = raw;
    this.onFailure = onFailure;
  }

  @Override
  public int read() {
    try {
      return decoding.read();
    } catch (IOException failure) {
      throw fail(failure);
    }
  }

  @Override
  public int read(byte[] target, int offset, int length) {
    try {
      return decoding.read(target, offset, length);
    } catch (IOException failure) {
      throw fail(failure);
    }
  }

  @Override
  public long skip(long count) {
    try {
      return decoding.skip(count);
    } catch (IOException failure) {
      throw fail(failure);
    }
  }

  @Override
  public int available() {
    try {
      return decoding.available();
    } catch (IOException failure) {
      throw fail(failure);
    }
  }

  @Override
  public void close() throws IOException {
    if (!closed) {
      closed = true;
      try {
        decoding.close();
      } finally {
        raw.close();
      }
    }
  }

  private RuntimeException fail(IOException failure) {
    Throwable explained = onFailure.explain(failure);
    try {
      close();
    } catch (IOException second) {
      failure.addSuppressed(second);
    }
    throw Raise.asIs(explained);
  }
}
