// SPDX-License-Identifier: Apache-2.0
/**
 * The verbs API, after libibverbs and librdmacm: a reader of their man pages is at home. Names are
 * those of the InfiniBand Architecture specification, volume 1.
 *
 * <p>Addresses and keys are opaque here: what they encode is the provider's business. Nothing
 * outside the provider packages knows which provider runs, and nothing may assume order between two
 * queue pairs.
 */
package dev.verbena.verbs;
