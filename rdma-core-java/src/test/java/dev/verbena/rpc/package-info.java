// SPDX-License-Identifier: Apache-2.0
/** Tests of the RPC framework: suites by topic, run over each carrier. */
package dev.verbena.rpc;
