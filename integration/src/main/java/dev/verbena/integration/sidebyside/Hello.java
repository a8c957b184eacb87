// SPDX-License-Identifier: Apache-2.0
package dev.verbena.integration.sidebyside;

/**
 * An application's first message to its launcher: it has all its executors and is ready.
 *
 * @param token what the launcher gave it
 */
record Hello(String token, String applicationId, String sparkVersion) {}
