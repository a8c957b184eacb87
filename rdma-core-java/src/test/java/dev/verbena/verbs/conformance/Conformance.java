// SPDX-License-Identifier: Apache-2.0
package dev.verbena.verbs.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.verbena.verbs.CompletionStatus;
import dev.verbena.verbs.VerbsException;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** A topic of the suite: a fresh fabric for each test, whose carrier is checked at the end. */
abstract class Conformance {
  private final VerbsUnderTest provider;
  private Fabric fabric;

  Conformance(VerbsUnderTest provider) {
    this.provider = provider;
  }

  @BeforeEach
  final void openFabric() {
    fabric = new Fabric(provider);
  }

  @AfterEach
  final void closeFabric() {
    if (fabric != null) {
      fabric.close();
    }
  }

  final Fabric fabric() {
    return fabric;
  }

  final boolean has(Ability ability) {
    return !provider.lacking().containsKey(ability);
  }

  /** Ends the test as not applicable where the device lacks that. */
  final void needs(Ability ability) {
    String reason = provider.lacking().get(ability);
    assumeTrue(reason == null, () -> ability + ": " + reason);
  }

  /** Checks which calls of the owner's software FLUSHes made: none where the device persists. */
  final void expectPersisted(TestPersistence persistence, TestPersistence.Persisted... calls) {
    if (has(Ability.PERSISTS_BY_SOFTWARE)) {
      assertThat(persistence.calls()).containsExactly(calls);
    } else {
      assertThat(persistence.calls()).isEmpty();
    }
  }

  /** What a SEND that is longer than its RECV ends with. */
  final CompletionStatus statusOfLongSends() {
    return has(Ability.NAMES_LONG_SENDS)
        ? CompletionStatus.REMOTE_INVALID_REQUEST
        : CompletionStatus.REMOTE_OPERATION_ERROR;
  }

  /** Checks that a verb fails with one of the codes. */
  static VerbsException expectFailure(ThrowingCallable verb, VerbsException.Code... codes) {
    VerbsException failure = catchThrowableOfType(VerbsException.class, verb);
    assertThat(failure).as("a verb that should fail").isNotNull();
    assertThat(failure.code()).as(failure.getMessage()).isIn((Object[]) codes);
    return failure;
  }
}
