// SPDX-License-Identifier: Apache-2.0
package dev.verbena.integration.bench;

import dev.verbena.integration.IntegrationException;
import dev.verbena.memory.MappedMemory;
import dev.verbena.memory.MemoryMapper;
import java.io.IOException;
import java.nio.file.Path;
import org.HdrHistogram.Histogram;

/** Copies one mapped file into another, a piece after the other, once a round. */
final class CopyPass implements Subject, AutoCloseable {
  private final MappedMemory source;
  private final MappedMemory target;
  private final long from;
  private final long to;
  private final int piece;
  private final int pieces;

  CopyPass(Path directory, int piece, int pieces) {
    this.piece = piece;
    this.pieces = pieces;
    long size = (long) piece * pieces;
    try {
      source = MemoryMapper.create(directory.resolve("copy-source"), size);
      target = MemoryMapper.create(directory.resolve("copy-target"), size);
    } catch (IOException e) {
      throw new IntegrationException("cannot map 2 x " + size + " bytes in " + directory, e);
    }
    from = RawCopy.address(source.slice(0, Math.toIntExact(size)));
    to = RawCopy.address(target.slice(0, Math.toIntExact(size)));
  }

  @Override
  public String name() {
    return "unsafe_copy";
  }

  @Override
  public Sample round() {
    Histogram single = new Histogram(3);
    long start = System.nanoTime();
    long before = start;
    for (int i = 0; i < pieces; i++) {
      long offset = (long) i * piece;
      RawCopy.copy(from + offset, to + offset, piece);
      long now = System.nanoTime();
      single.recordValue(WritePass.rate(piece, now - before));
      before = now;
    }
    return new Sample(WritePass.rate((long) piece * pieces, before - start) / Sample.SCALE, single);
  }

  @Override
  public void close() {
    source.close();
    target.close();
  }
}
