// SPDX-License-Identifier: Apache-2.0
package dev.verbena.architecture.offender.spark;

import dev.verbena.architecture.offender.verbs.soft.SoftNic;

/** Breaks the rule that a plug-in never sees a verb. */
public record SeesAVerb(SoftNic nic) {}
