// SPDX-License-Identifier: Apache-2.0
package dev.verbena.verbs;

/** The service level of a queue pair: bulk data never stands before control traffic. */
public enum TrafficClass {
  /** Short messages that somebody waits for. */
  CONTROL,
  /** Large transfers. */
  BULK
}
