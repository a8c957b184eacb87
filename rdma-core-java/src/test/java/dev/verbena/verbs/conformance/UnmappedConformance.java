// SPDX-License-Identifier: Apache-2.0
package dev.verbena.verbs.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.verbena.verbs.QueuePair;
import dev.verbena.verbs.VerbsException.Code;
import org.junit.jupiter.api.Test;

/** A device that can't map a peer's memory says so: QueuePair.mapRemote. */
abstract class UnmappedConformance extends Conformance {
  private static final int SIZE = 4096;

  UnmappedConformance(VerbsUnderTest provider) {
    super(provider);
  }

  @Test
  void aDeviceThatCannotMapSaysSo() {
    assertThat(fabric().client().attributes().canMapRemote()).isFalse();
    ConnectedPair pair = fabric().connect();
    TestMemory remote = pair.server().memory(SIZE);
    QueuePair queuePair = pair.client().queuePair();
    int key = remote.region().remoteKey();
    assertThat(queuePair.mapRemote(remote.address(0), SIZE, key)).isEmpty();
  }

  @Test
  void mappingBeforeTheConnectionIsAnInvalidStateHereToo() {
    Endpoint end = new Endpoint(fabric(), fabric().client(), attributes -> attributes);
    expectFailure(() -> end.queuePair().mapRemote(0, 1, 1), Code.INVALID_STATE);
  }
}
