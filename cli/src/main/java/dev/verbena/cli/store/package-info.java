// SPDX-License-Identifier: Apache-2.0
/** {@code verbena store}: what is in an agent's store, and whether it is whole. */
package dev.verbena.cli.store;
