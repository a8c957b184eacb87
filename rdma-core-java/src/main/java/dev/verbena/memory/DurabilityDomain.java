// SPDX-License-Identifier: Apache-2.0
package dev.verbena.memory;

/** What bytes survive once they are called durable, in rising order. */
public enum DurabilityDomain {
  /** The end of the process that holds them. */
  PROCESS,
  /** A crash of this machine's operating system: the memory belongs to another machine. */
  OS_CRASH,
  /** Loss of power. */
  POWER
}
