// SPDX-License-Identifier: Apache-2.0
package dev.verbena.verbs.soft;

import static org.assertj.core.api.Assertions.assertThat;

import dev.verbena.memory.MappedMemory;
import dev.verbena.verbs.AccessFlag;
import dev.verbena.verbs.CompletionStatus;
import dev.verbena.verbs.Device;
import dev.verbena.verbs.DeviceOptions.CarrierPolicy;
import dev.verbena.verbs.MemoryRegion;
import dev.verbena.verbs.SendRequest;
import java.util.EnumSet;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** Memory whose file is truncated is not told as read or written. */
class TruncationTest {
  /** Far more than a poster copies itself. */
  private static final int LENGTH = 8 << 20;

  private static final Set<AccessFlag> ALL =
      EnumSet.of(AccessFlag.LOCAL_WRITE, AccessFlag.REMOTE_WRITE, AccessFlag.REMOTE_READ);

  @TestFactory
  Stream<DynamicTest> noRequestForTruncatedMemorySucceeds() {
    return Stream.of(new TruncationAttacks(), new ErrandAttacks())
        .flatMap(attacks -> attacks.all().entrySet().stream())
        .filter(attack -> attack.getKey().contains("Truncated"))
        .map(attack -> DynamicTest.dynamicTest(attack.getKey(), attack.getValue()::run));
  }

  /** The poster copies no more than its share; the device thread and pollers copy the rest. */
  @Test
  void whatOthersCopyForAPosterOverShmIsNotToldAsDoneIfAFileWasTruncated() {
    try (SoftConnector connector = new SoftConnector();
        Device near = SoftConnector.open(CarrierPolicy.AUTOMATIC);
        Device owner = SoftConnector.open(CarrierPolicy.AUTOMATIC)) {
      for (boolean remote : new boolean[] {true, false}) {
        for (boolean read : new boolean[] {true, false}) {
          SoftConnector.End own = SoftConnector.end(owner, owner.createProtectionDomain());
          SoftConnector.End peer = connector.connect(near, owner, own);
          MappedMemory there = owner.allocate(LENGTH);
          MemoryRegion target = own.domain().register(there, 0, LENGTH, ALL);
          MappedMemory here = near.allocate(LENGTH);
          MemoryRegion buffer = peer.domain().register(here, 0, LENGTH, ALL);
          assertThat(transfer(peer, read, target, buffer)).isEqualTo(CompletionStatus.SUCCESS);
          TruncationAttacks.setLength(remote ? there : here, LENGTH - 1);
          assertThat(transfer(peer, read, target, buffer))
              .isEqualTo(CompletionStatus.GENERAL_ERROR);
        }
      }
    }
  }

  private static CompletionStatus transfer(
      SoftConnector.End end, boolean read, MemoryRegion target, MemoryRegion buffer) {
    SendRequest request = new SendRequest(1);
    SendRequest begun =
        read
            ? request.read(1, target.address(), target.remoteKey())
            : request.write(1, target.address(), target.remoteKey());
    end.post(begun.buffer(buffer.address(), LENGTH, buffer.localKey()).signaled());
    return end.next().status();
  }
}
