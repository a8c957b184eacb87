// SPDX-License-Identifier: Apache-2.0
/**
 * The block store: map outputs in pools of memory or files, written by append and publish, found by
 * key, recovered by scan. Knows no Spark; readers elsewhere come through {@code serve}.
 */
package dev.verbena.store;
