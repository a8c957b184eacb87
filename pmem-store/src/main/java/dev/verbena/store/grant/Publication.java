// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store.grant;

import dev.verbena.memory.DurabilityMethod;
import dev.verbena.rpc.BulkBatch;
import dev.verbena.rpc.RpcException;

/** How a record becomes durable and then visible; chosen when its space is granted. */
interface Publication {
  /**
   * Sends the batch, whose WRITEs are all that is left of the record, and publishes it.
   *
   * @param position first byte of the record within the grant
   * @throws RpcException if it failed; the record may have been published then
   */
  void publish(
      GrantClient client,
      ClientGrant grant,
      Staging staging,
      BulkBatch batch,
      long position,
      long recordBytes,
      long word);

  /** What it is called. */
  DurabilityMethod method();

  /** What suits the terms. */
  static Publication of(GrantLayout.Response terms, boolean canFlush) {
    if (canFlush && terms.flush()) {
      return new OneDoorbell(DurabilityMethod.FLUSH);
    }
    return terms.read() ? new OneDoorbell(DurabilityMethod.READ_AFTER_WRITE) : new ByCalls();
  }

  /** All of it in one batch: the store's processor takes no part. */
  record OneDoorbell(DurabilityMethod method) implements Publication {
    @Override
    public void publish(
        GrantClient client,
        ClientGrant grant,
        Staging staging,
        BulkBatch batch,
        long position,
        long recordBytes,
        long word) {
      grant.publish(batch, position, recordBytes, word, staging.buffer(), Staging.SCRATCH_AT);
      staging.transfer(client.bulk(), client.deadline());
    }
  }

  /**
   * The store makes it durable: first the record, then its word, each in a call. The batches end
   * with a READ, since calls go over another queue pair than WRITEs and might overtake them.
   */
  final class ByCalls implements Publication {
    @Override
    public void publish(
        GrantClient client,
        ClientGrant grant,
        Staging staging,
        BulkBatch batch,
        long position,
        long recordBytes,
        long word) {
      grant.flushRecord(batch, position, recordBytes, staging.buffer(), Staging.SCRATCH_AT);
      staging.transfer(client.bulk(), client.deadline());
      client.persist(grant.persistRecord(position, recordBytes));
      BulkBatch last = staging.batch();
      grant.publishWord(last, position, word, staging.buffer(), Staging.SCRATCH_AT);
      staging.transfer(client.bulk(), client.deadline());
      client.persist(grant.persistWord(position));
    }

    @Override
    public DurabilityMethod method() {
      return DurabilityMethod.REMOTE_PERSIST;
    }
  }
}
