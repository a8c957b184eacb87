// SPDX-License-Identifier: Apache-2.0
package dev.verbena.verbs;

import java.util.NavigableSet;
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
    for (VerbsProvider provider : load()) {
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
    }
    throw new VerbsException(
        VerbsException.Code.UNAVAILABLE, "no provider '" + name + "', there are " + names());
  }

  /**
   * Opens a device by provider, or by provider and device: "soft", "rdmacore", "rdmacore:rxe0".
   *
   * @throws VerbsException as {@link #named} and {@link #open}
   */
  static Device openDevice(String name, DeviceOptions options) {
    int colon = name.indexOf(':');
    return colon < 0
        ? named(name).open(options)
        : named(name.substring(0, colon)).open(options.withDevice(name.substring(colon + 1)));
  }

  /** The names of all providers, whether or not they can be used here. */
  static NavigableSet<String> names() {
    NavigableSet<String> names = new TreeSet<>();
    load().forEach(provider -> names.add(provider.name()));
    return names;
  }

  private static ServiceLoader<VerbsProvider> load() {
    return ServiceLoader.load(VerbsProvider.class, VerbsProvider.class.getClassLoader());
  }
}
