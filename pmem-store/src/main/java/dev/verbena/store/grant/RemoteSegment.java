// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store.grant;

import dev.verbena.rpc.BulkBatch;
import dev.verbena.rpc.RpcException;
import dev.verbena.store.local.OutputSegment;
import dev.verbena.store.manifest.PartitionStarts;
import dev.verbena.store.pool.RecordHeader;
import dev.verbena.store.pool.RecordId;
import dev.verbena.store.pool.RecordLayout;
import java.util.zip.CRC32C;

/**
 * A segment on its way into granted space. The checksum is taken from the source; the last bytes,
 * the header, both FLUSHes and the publish word go out with one doorbell. One thread.
 */
final class RemoteSegment implements OutputSegment {
  private final GrantClient client;
  private final ClientGrant grant;
  private final Staging staging;
  private final PartitionStarts starts;
  private final CRC32C crc = new CRC32C();
  private long length;

  RemoteSegment(GrantClient client, ClientGrant grant, Staging staging, int firstPartition) {
    this.client = client;
    this.grant = grant;
    this.staging = staging;
    this.starts = new PartitionStarts(firstPartition);
  }

  ClientGrant grant() {
    return grant;
  }

  @Override
  public long room() {
    return grant.capacity() - length;
  }

  @Override
  public int put(int partition, byte[] source, int offset, int count) {
    int taken = (int) Math.min(Math.min(count, room()), staging.room());
    starts.cover(partition, length);
    staging.put(source, offset, taken);
    crc.update(source, offset, taken);
    length += taken;
    if (staging.room() == 0) {
      send();
    }
    return taken;
  }

  private void send() {
    describe();
    try {
      staging.send(client.bulk(), client.deadline());
    } catch (RpcException e) {
      throw client.failure(e);
    }
  }

  /** A batch with what is in the buffer, which is the end of what was put so far. */
  private BulkBatch describe() {
    BulkBatch batch = staging.batch();
    int filled = staging.filled();
    grant.write(batch, staging.buffer(), 0, RecordLayout.HEADER_BYTES + length - filled, filled);
    return batch;
  }

  /** Publishes the record; on return it is as durable as the result says. */
  Durability seal(RecordId id) {
    RecordHeader header =
        RecordHeader.of(id, length, grant.terms().sequence(), (int) crc.getValue());
    BulkBatch batch = describe();
    staging.putHeader(header.encode());
    grant.write(batch, staging.buffer(), Staging.HEADER_AT, 0, RecordLayout.HEADER_BYTES);
    long bytes = RecordLayout.HEADER_BYTES + length;
    try {
      grant.publication().publish(client, grant, staging, batch, 0, bytes, header.publishWord());
    } catch (RpcException e) {
      throw client.failure(e);
    }
    client.published(length);
    return grant.durability();
  }

  /** How the commit lists it. */
  CommitLayout.WireSegment listed() {
    return new CommitLayout.WireSegment(
        grant.terms().grant(), starts.first(), starts.offsets(length));
  }
}
