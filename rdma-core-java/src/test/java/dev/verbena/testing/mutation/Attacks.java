// SPDX-License-Identifier: Apache-2.0
package dev.verbena.testing.mutation;

import java.util.Map;

/** A suite that is run on each copy: its class is copied too, this interface is not. */
public interface Attacks {
  /** By name; each throws if the code under test does not withstand it. */
  Map<String, Runnable> all();
}
