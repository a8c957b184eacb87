// SPDX-License-Identifier: Apache-2.0
/** The store of this process: writers, readers, commit, removal, recovery. */
package dev.verbena.store.local;
