// SPDX-License-Identifier: Apache-2.0
/**
 * The conformance suite of the verbs API: what the InfiniBand Architecture specification, volume 1,
 * and the man pages of libibverbs and librdmacm promise, and nothing else. It knows no provider; a
 * provider runs it by a test class with one nested class a topic, see {@code
 * SoftShmConformanceTest}.
 *
 * <p>Nothing here assumes when an unsignaled request runs, that a post executes anything, an order
 * between queue pairs, or that a READ is done before a later request that is not fenced.
 */
package dev.verbena.verbs.conformance;
