// SPDX-License-Identifier: Apache-2.0
/** {@code verbena agent}: a node's store agent, its settings, metrics and status page. */
package dev.verbena.cli.agent;
