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

  /**
   * Whether its devices are the kernel's: one is chosen by its name, and connections take the one
   * carrier that it is.
   */
  boolean hasKernelDevices();

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
    VerbsProvider provider =
        find(name)
            .orElseThrow(
                () ->
                    new VerbsException(
                        VerbsException.Code.UNAVAILABLE,
                        "no provider '" + name + "', there are " + names()));
    provider
        .unavailabilityCause()
        .ifPresent(
            cause -> {
              throw new VerbsException(
                  VerbsException.Code.UNAVAILABLE, "provider " + name + ": " + cause);
            });
    return provider;
  }

  /** The provider of that name, whether or not it can be used here. */
  static Optional<VerbsProvider> find(String name) {
    for (VerbsProvider provider : load()) {
      if (provider.name().equals(name)) {
        return Optional.of(provider);
      }
    }
    return Optional.empty();
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
