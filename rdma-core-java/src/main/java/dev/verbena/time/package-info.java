// SPDX-License-Identifier: Apache-2.0
/** Deadlines: every wait in Verbena has one. */
package dev.verbena.time;
