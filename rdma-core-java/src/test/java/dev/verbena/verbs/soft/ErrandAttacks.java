// SPDX-License-Identifier: Apache-2.0
package dev.verbena.verbs.soft;

import static org.assertj.core.api.Assertions.assertThat;

import dev.verbena.memory.MappedMemory;
import dev.verbena.testing.mutation.Attacks;
import dev.verbena.verbs.AccessFlag;
import dev.verbena.verbs.CompletionStatus;
import dev.verbena.verbs.DeviceOptions.CarrierPolicy;
import dev.verbena.verbs.MemoryRegion;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;

/** What a shm peer leaves in a queue pair's area for the owner to do. */
public final class ErrandAttacks implements Attacks {
  private static final int SIZE = 64;
  private static final Set<AccessFlag> ALL =
      EnumSet.of(
          AccessFlag.LOCAL_WRITE,
          AccessFlag.REMOTE_WRITE,
          AccessFlag.REMOTE_READ,
          AccessFlag.REMOTE_ATOMIC);

  @Override
  public Map<String, Runnable> all() {
    Map<String, Runnable> all = new LinkedHashMap<>();
    put(all, "anErrandThatIsRight", Session::anErrandThatIsRight);
    put(all, "anErrandToWhereItMustNot", Session::anErrandToWhereItMustNot);
    put(all, "anErrandOfAnotherLength", Session::anErrandOfAnotherLength);
    put(all, "anErrandWithAnothersBounceBuffer", Session::anErrandWithAnothersBounceBuffer);
    put(all, "anErrandThatIsOldOrLate", Session::anErrandThatIsOldOrLate);
    put(all, "anErrandForTruncatedMemory", Session::anErrandForTruncatedMemory);
    return all;
  }

  private static void put(Map<String, Runnable> all, String name, Consumer<Session> attack) {
    all.put(
        name,
        () -> {
          try (Session session = new Session()) {
            attack.accept(session);
          }
        });
  }

  private static final class Session implements AutoCloseable {
    private final SoftConnector connector = new SoftConnector();
    private final SoftDevice near = (SoftDevice) SoftConnector.open(CarrierPolicy.AUTOMATIC);
    private final SoftDevice owner = (SoftDevice) SoftConnector.open(CarrierPolicy.AUTOMATIC);
    private final SoftConnector.End own = SoftConnector.end(owner, owner.createProtectionDomain());
    private final SoftConnector.End peer = connector.connect(near, owner, own);
    private final MappedMemory memory = owner.allocate(2 * SIZE);
    private final MemoryRegion region = own.domain().register(memory, 0, SIZE, ALL);
    private final MappedMemory bounceMemory = near.allocate(SIZE);
    private final MemoryRegion bounce = bounce(EnumSet.of(AccessFlag.LOCAL_WRITE));
    private final MappedMemory area = pair().area();
    private long asked;

    private SoftQueuePair pair() {
      return (SoftQueuePair) own.queuePair();
    }

    private MemoryRegion bounce(Set<AccessFlag> access) {
      return peer.domain().register(bounceMemory, 0, SIZE, access);
    }

    private CompletionStatus run(int opcode, MemoryRegion of, long offset, int length) {
      return run(opcode, of.remoteKey(), of.address() + offset, length, bounce);
    }

    private CompletionStatus run(
        int opcode, int key, long address, int length, MemoryRegion through) {
      area.putInt(ErrandLayout.OPCODE_OFFSET, opcode);
      area.putInt(ErrandLayout.LENGTH_OFFSET, length);
      area.putInt(ErrandLayout.KEY_OFFSET, key);
      area.putLong(ErrandLayout.ADDRESS_OFFSET, address);
      area.putInt(ErrandLayout.BOUNCE_KEY_OFFSET, through.localKey());
      area.putLong(ErrandLayout.BOUNCE_ADDRESS_OFFSET, through.address());
      area.putLong(ErrandLayout.SWAP_ADD_OFFSET, 1);
      area.putLong(ErrandLayout.COMPARE_OFFSET, 0);
      area.putLong(ErrandLayout.STATUS_OFFSET, -1);
      asked++;
      area.putLongRelease(ErrandLayout.ASKED_OFFSET, asked);
      serve();
      assertThat(area.getLongAcquire(ErrandLayout.DONE_OFFSET)).isEqualTo(asked);
      return WireCodes.status((int) area.getLong(ErrandLayout.STATUS_OFFSET));
    }

    private void serve() {
      owner.thread().executeAndWait(owner::serveErrands);
    }

    private void anErrandThatIsRight() {
      bounceMemory.putLong(0, 5);
      assertThat(run(WorkQueueEntryLayout.WRITE, region, 8, 8)).isEqualTo(CompletionStatus.SUCCESS);
      assertThat(memory.getLong(8)).isEqualTo(5);
      memory.putLong(8, 6);
      assertThat(run(WorkQueueEntryLayout.READ, region, 8, 8)).isEqualTo(CompletionStatus.SUCCESS);
      assertThat(bounceMemory.getLong(0)).isEqualTo(6);
      assertThat(run(WorkQueueEntryLayout.SEND, region, 16, 8)).isEqualTo(CompletionStatus.SUCCESS);
      assertThat(memory.getLong(16)).isEqualTo(6);
      assertThat(run(WorkQueueEntryLayout.FETCH_AND_ADD, region, 8, 8))
          .isEqualTo(CompletionStatus.SUCCESS);
      assertThat(memory.getLong(8)).isEqualTo(7);
      assertThat(area.getLong(ErrandLayout.FOUND_OFFSET)).isEqualTo(6);
      assertThat(run(WorkQueueEntryLayout.WRITE, region, 0, 0)).isEqualTo(CompletionStatus.SUCCESS);
    }

    private void anErrandToWhereItMustNot() {
      bounceMemory.putLong(0, 5);
      refused(WorkQueueEntryLayout.WRITE, allBut(AccessFlag.REMOTE_WRITE));
      refused(WorkQueueEntryLayout.ATOMIC_WRITE, allBut(AccessFlag.REMOTE_WRITE));
      refused(WorkQueueEntryLayout.READ, allBut(AccessFlag.REMOTE_READ));
      refused(WorkQueueEntryLayout.FETCH_AND_ADD, allBut(AccessFlag.REMOTE_ATOMIC));
      refused(WorkQueueEntryLayout.SEND, EnumSet.of(AccessFlag.REMOTE_READ));
      assertThat(run(WorkQueueEntryLayout.WRITE, region, SIZE - 7, 8))
          .isEqualTo(CompletionStatus.REMOTE_ACCESS_ERROR);
      assertThat(run(WorkQueueEntryLayout.ATOMIC_WRITE, region, 4, 8))
          .isEqualTo(CompletionStatus.REMOTE_INVALID_REQUEST);
      assertUntouched();
    }

    private static Set<AccessFlag> allBut(AccessFlag one) {
      Set<AccessFlag> access = EnumSet.copyOf(ALL);
      access.remove(one);
      return access;
    }

    private void refused(int opcode, Set<AccessFlag> access) {
      try (MemoryRegion other = own.domain().register(memory, 0, SIZE, access)) {
        assertThat(run(opcode, other, 0, 8)).isEqualTo(CompletionStatus.REMOTE_ACCESS_ERROR);
      }
      assertThat(bounceMemory.getLong(0)).isEqualTo(5);
      assertUntouched();
    }

    private void assertUntouched() {
      for (int i = 0; i < 2 * SIZE; i += Long.BYTES) {
        assertThat(memory.getLong(i)).isZero();
      }
    }

    private void anErrandOfAnotherLength() {
      bounceMemory.putLong(0, 5);
      for (int length : new int[] {-1, Integer.MIN_VALUE, ErrandLayout.MAX_LENGTH + 1}) {
        assertThat(run(WorkQueueEntryLayout.WRITE, region, 0, length))
            .isEqualTo(CompletionStatus.REMOTE_INVALID_REQUEST);
      }
      assertThat(run(WorkQueueEntryLayout.WRITE, region, 0, ErrandLayout.MAX_LENGTH))
          .isEqualTo(CompletionStatus.REMOTE_ACCESS_ERROR);
      for (int length : new int[] {0, 16}) {
        assertThat(run(WorkQueueEntryLayout.ATOMIC_WRITE, region, SIZE - length, length))
            .isEqualTo(CompletionStatus.REMOTE_INVALID_REQUEST);
      }
      assertUntouched();
    }

    private void anErrandWithAnothersBounceBuffer() {
      bounceMemory.putLong(0, 5);
      long address = region.address();
      MemoryRegion readOnly = bounce(EnumSet.of(AccessFlag.REMOTE_READ));
      assertThat(run(WorkQueueEntryLayout.READ, region.remoteKey(), address, 8, readOnly))
          .isEqualTo(CompletionStatus.REMOTE_OPERATION_ERROR);
      assertThat(bounceMemory.getLong(0)).isEqualTo(5);
      assertThat(run(WorkQueueEntryLayout.WRITE, region.remoteKey(), address, 8, region))
          .isEqualTo(CompletionStatus.REMOTE_OPERATION_ERROR);
      assertUntouched();
      assertThat(run(WorkQueueEntryLayout.WRITE, region.remoteKey(), address, 8, readOnly))
          .isEqualTo(CompletionStatus.SUCCESS);
    }

    private void anErrandThatIsOldOrLate() {
      bounceMemory.putLong(0, 5);
      run(WorkQueueEntryLayout.WRITE, region, 0, 8);
      memory.putLong(0, 0);
      serve();
      assertUntouched();
      area.putLong(QueuePairAreaLayout.OWNER_STATE_OFFSET, QueuePairAreaLayout.BROKEN);
      assertThat(run(WorkQueueEntryLayout.WRITE, region, 0, 8))
          .isEqualTo(CompletionStatus.TRANSPORT_RETRY_EXCEEDED);
      assertUntouched();
      area.putLong(QueuePairAreaLayout.OWNER_STATE_OFFSET, QueuePairAreaLayout.CONNECTED);
    }

    /** By a byte, which makes no access fault. */
    private void anErrandForTruncatedMemory() {
      for (MappedMemory one : new MappedMemory[] {memory, bounceMemory}) {
        TruncationAttacks.setLength(one, one.size() - 1);
        for (int opcode :
            new int[] {
              WorkQueueEntryLayout.WRITE, WorkQueueEntryLayout.READ, WorkQueueEntryLayout.SEND
            }) {
          assertThat(run(opcode, region, 0, 8)).isEqualTo(CompletionStatus.REMOTE_OPERATION_ERROR);
        }
        assertThat(run(WorkQueueEntryLayout.FETCH_AND_ADD, region, 0, 8))
            .isEqualTo(
                one == memory ? CompletionStatus.REMOTE_OPERATION_ERROR : CompletionStatus.SUCCESS);
        TruncationAttacks.setLength(one, one.size());
        anErrandThatIsRight();
      }
    }

    @Override
    public void close() {
      near.close();
      owner.close();
      connector.close();
    }
  }
}
