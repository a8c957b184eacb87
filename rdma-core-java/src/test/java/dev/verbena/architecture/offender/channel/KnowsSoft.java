// SPDX-License-Identifier: Apache-2.0
package dev.verbena.architecture.offender.channel;

import dev.verbena.architecture.offender.verbs.soft.SoftNic;

/** Breaks the rule that nobody knows which provider runs. */
public record KnowsSoft(SoftNic nic) {}
