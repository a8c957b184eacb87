// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store.grant;

import dev.verbena.verbs.Device;
import dev.verbena.verbs.DeviceAttributes;
import dev.verbena.verbs.DeviceOptions;
import dev.verbena.verbs.VerbsProvider;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.Optional;
import java.util.Set;

/** The software NIC without anything that a device may lack, as far as it says itself. */
public final class BareProvider implements VerbsProvider {
  static final String NAME = "soft-bare";

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public boolean hasKernelDevices() {
    return false;
  }

  @Override
  public Optional<String> unavailabilityCause() {
    return Optional.empty();
  }

  @Override
  public Device open(DeviceOptions options) {
    Device soft = VerbsProvider.named("soft").open(options);
    DeviceAttributes has = soft.attributes();
    DeviceAttributes bare =
        new DeviceAttributes(
            has.maxMessage(),
            has.maxQueueDepth(),
            has.maxBuffers(),
            has.maxInline(),
            has.maxPrivateData(),
            has.canMapRemote(),
            Set.of());
    return (Device)
        Proxy.newProxyInstance(
            Device.class.getClassLoader(),
            new Class<?>[] {Device.class},
            (proxy, method, arguments) -> {
              if (method.getName().equals("attributes")) {
                return bare;
              }
              try {
                return method.invoke(soft, arguments);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }
}
