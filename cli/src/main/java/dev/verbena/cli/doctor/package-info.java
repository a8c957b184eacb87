// SPDX-License-Identifier: Apache-2.0
/** {@code verbena doctor}: what this machine can do, what is in the way, and what helps. */
package dev.verbena.cli.doctor;
