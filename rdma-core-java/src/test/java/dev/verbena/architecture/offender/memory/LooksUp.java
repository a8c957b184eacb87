// SPDX-License-Identifier: Apache-2.0
package dev.verbena.architecture.offender.memory;

import dev.verbena.architecture.offender.rpc.Chatty;

/** Breaks the rule that arrows point down. */
public record LooksUp(Chatty above) {}
