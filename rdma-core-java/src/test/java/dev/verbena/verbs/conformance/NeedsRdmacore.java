// SPDX-License-Identifier: Apache-2.0
package dev.verbena.verbs.conformance;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.util.Optional;
import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Runs a class only where the kernel has an RDMA device, and tells why not. With {@value #REQUIRED}
 * in the environment, as where such a device was made for the tests, it runs and fails.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@ExtendWith(NeedsRdmacore.Condition.class)
public @interface NeedsRdmacore {
  /** Set where there must be a device. */
  String REQUIRED = "VERBENA_RDMA_REQUIRED";

  /** Looks whether there is a device. */
  final class Condition implements ExecutionCondition {
    @Override
    public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
      Optional<String> cause = Rdmacore.unavailabilityCause();
      return cause.isEmpty() || System.getenv(REQUIRED) != null
          ? ConditionEvaluationResult.enabled("there is a device, or must be")
          : ConditionEvaluationResult.disabled(cause.get());
    }
  }
}
