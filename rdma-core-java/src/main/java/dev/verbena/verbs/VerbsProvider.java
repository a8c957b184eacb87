// SPDX-License-Identifier: Apache-2.0
package dev.verbena.verbs;

import java.util.Optional;
import java.util.ServiceLoader;
import java.util.TreeSet;

/** An implementation of verbs, found by {@link ServiceLoader}. Stateless. */
public interface VerbsProvider {
  /** The name it is chosen by, "soft" say. */
  String name();

  /** Why it can't be used on this machine; empty if it can. Never throws. */
  Optional<String> unavailabilityCause();

  /**
   * Opens a device.
   *
   * @throws VerbsException UNAVAILABLE or NO_RESOURCES, with the remedy in the message
   */
  Device open(DeviceOptions options);

  /**
   * The provider of that name.
   *
   * @throws VerbsException UNAVAILABLE naming the known ones, or the cause why it can't be used
   */
  static VerbsProvider named(String name) {
    TreeSet<String> known = new TreeSet<>();
    ServiceLoader<VerbsProvider> loader =
        ServiceLoader.load(VerbsProvider.class, VerbsProvider.class.getClassLoader());
    for (VerbsProvider provider : loader) {
      if (provider.name().equals(name)) {
        provider
            .unavailabilityCause()
            .ifPresent(
                cause -> {
                  throw new VerbsException(
                      VerbsException.Code.UNAVAILABLE, "provider " + name + ": " + cause);
                });
        return provider;
      }
      known.add(provider.name());
    }
    throw new VerbsException(
        VerbsException.Code.UNAVAILABLE, "no provider '" + name + "', there are " + known);
  }
}
