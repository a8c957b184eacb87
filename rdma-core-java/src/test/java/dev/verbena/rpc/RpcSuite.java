// SPDX-License-Identifier: Apache-2.0
package dev.verbena.rpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.verbena.testing.Await;
import java.util.concurrent.Future;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** A topic: a fresh fixture for each test. */
abstract class RpcSuite {
  private final Carrier carrier;
  private RpcFixture fixture;

  RpcSuite(Carrier carrier) {
    this.carrier = carrier;
  }

  @BeforeEach
  final void openFixture() {
    fixture = new RpcFixture(carrier);
  }

  @AfterEach
  final void closeFixture() {
    if (fixture != null) {
      fixture.close();
    }
  }

  final RpcFixture rpc() {
    return fixture;
  }

  static RpcException expectFailure(RpcException.Code code, ThrowingCallable action) {
    RpcException failure = catchThrowableOfType(RpcException.class, action);
    assertThat(failure).as("an action that should fail").isNotNull();
    assertThat(failure.code()).as(failure.toString()).isEqualTo(code);
    return failure;
  }

  static RpcException expectFailure(RpcException.Code code, String what, Future<?> action) {
    RpcException failure = (RpcException) Await.failure(what, action);
    assertThat(failure.code()).as(failure.toString()).isEqualTo(code);
    return failure;
  }
}
