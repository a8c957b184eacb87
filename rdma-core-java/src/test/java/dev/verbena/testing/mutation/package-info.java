// SPDX-License-Identifier: Apache-2.0
/**
 * Tests of tests: a copy of the code is loaded in which one thing is switched off, found
 * mechanically in the class files, and a suite must go red.
 */
package dev.verbena.testing.mutation;
