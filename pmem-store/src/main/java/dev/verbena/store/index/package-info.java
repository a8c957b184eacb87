// SPDX-License-Identifier: Apache-2.0
/** The index: a hash table in pool memory, laid out to be read one-sided. */
package dev.verbena.store.index;
