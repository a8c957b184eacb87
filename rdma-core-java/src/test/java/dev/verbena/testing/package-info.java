// SPDX-License-Identifier: Apache-2.0
/**
 * What tests of every module share: waiting with a deadline, child JVMs, byte patterns, copies of
 * classes.
 */
package dev.verbena.testing;
