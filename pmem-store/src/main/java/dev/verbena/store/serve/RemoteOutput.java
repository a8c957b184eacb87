// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store.serve;

import dev.verbena.store.MapOutputKey;
import dev.verbena.store.manifest.Manifest;

/**
 * A map output of a peer, as its manifest said when it was read.
 *
 * @param key the map output
 * @param manifest a copy of the manifest
 */
record RemoteOutput(MapOutputKey key, Manifest manifest) {}
