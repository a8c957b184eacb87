// SPDX-License-Identifier: Apache-2.0
/**
 * Writing map outputs into the store of another process: space by call, payload and publish word
 * one-sided, commit by call.
 *
 * <p>A grant is space for one record and two keys for it: one opens the record, one the record's
 * publish word in the pool's table, 8 bytes and no more. The writer publishes the word itself, in
 * the doorbell of the payload, because recovery trusts nothing else: a word that only the store
 * wrote, at commit, would make a record durable by the store's processor again. What a writer
 * published means nothing before the store listed it in a manifest, whose word the store writes.
 */
package dev.verbena.store.grant;
