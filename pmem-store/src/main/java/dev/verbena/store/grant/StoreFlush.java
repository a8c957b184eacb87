// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store.grant;

import dev.verbena.memory.MappedMemory;
import dev.verbena.store.local.GrantedExtent;

/** What a store does to make granted space durable for a writer that asks for it. Thread-safe. */
interface StoreFlush {
  /** Bytes of the record, or of the records, counted from the first one's first. */
  void records(long position, long length);

  /** Publish words, in bytes, counted from the first one's first. */
  void words(long position, long length);

  /** The bytes are in the pool. */
  record InPlace(GrantedExtent extent) implements StoreFlush {
    @Override
    public void records(long position, long length) {
      extent.persist(position, length);
    }

    @Override
    public void words(long position, long length) {
      extent.persistWords(position, length);
    }
  }

  /**
   * The bytes are in other memory of the store's process, and are copied to the pool now.
   *
   * @param records as the extent has its records
   * @param words as it has their publish words
   */
  record Copied(GrantedExtent extent, MappedMemory records, MappedMemory words)
      implements StoreFlush {
    @Override
    public void records(long position, long length) {
      extent.fill(records, position, length);
    }

    @Override
    public void words(long position, long length) {
      extent.fillWords(words, position, length);
    }
  }
}
