// SPDX-License-Identifier: Apache-2.0
package dev.verbena.verbs.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.verbena.verbs.CompletionStatus;
import dev.verbena.verbs.Opcode;
import dev.verbena.verbs.WorkCompletion;
import java.util.OptionalInt;

/** An immutable copy of a {@link WorkCompletion}. */
record Completion(
    long id,
    CompletionStatus status,
    Opcode opcode,
    int bytes,
    int queuePair,
    OptionalInt immediate,
    OptionalInt invalidatedKey) {

  static Completion of(WorkCompletion completion) {
    return new Completion(
        completion.requestId(),
        completion.status(),
        completion.opcode(),
        completion.byteLength(),
        completion.queuePairNumber(),
        completion.hasImmediate() ? OptionalInt.of(completion.immediate()) : OptionalInt.empty(),
        completion.hasInvalidatedKey()
            ? OptionalInt.of(completion.invalidatedKey())
            : OptionalInt.empty());
  }

  /** Checks that request {@code id} succeeded; bytes mean something for what brings data in. */
  Completion expectSuccess(long id, Opcode opcode) {
    assertThat(this)
        .extracting(Completion::id, Completion::status, Completion::opcode)
        .containsExactly(id, CompletionStatus.SUCCESS, opcode);
    return this;
  }

  Completion expectSuccess(long id, Opcode opcode, int bytes) {
    expectSuccess(id, opcode);
    assertThat(this.bytes).as("bytes of %s", this).isEqualTo(bytes);
    return this;
  }

  Completion expectStatus(long id, CompletionStatus status) {
    assertThat(this).extracting(Completion::id, Completion::status).containsExactly(id, status);
    return this;
  }
}
