// SPDX-License-Identifier: Apache-2.0
/**
 * Manifests: the record that lists the segments of a map output and where its blocks lie in them.
 */
package dev.verbena.store.manifest;
