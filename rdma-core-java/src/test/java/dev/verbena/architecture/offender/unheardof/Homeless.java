// SPDX-License-Identifier: Apache-2.0
package dev.verbena.architecture.offender.unheardof;

/** Breaks the rule that each package has its floor. */
public record Homeless() {}
