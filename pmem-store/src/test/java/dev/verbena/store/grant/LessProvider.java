// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store.grant;

import dev.verbena.memory.PersistentRegion;
import dev.verbena.verbs.Device;
import dev.verbena.verbs.DeviceAttributes;
import dev.verbena.verbs.DeviceCapability;
import dev.verbena.verbs.DeviceOptions;
import dev.verbena.verbs.ProtectionDomain;
import dev.verbena.verbs.VerbsException;
import dev.verbena.verbs.VerbsProvider;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;

/** Devices of another provider that say they have less: so each fallback can be forced. */
public abstract class LessProvider implements VerbsProvider {
  private final String base;
  private final String name;
  private final Set<DeviceCapability> lacking;
  private final boolean registersPools;

  LessProvider(String base, String name, Set<DeviceCapability> lacking, boolean registersPools) {
    this.base = base;
    this.name = name;
    this.lacking = lacking;
    this.registersPools = registersPools;
  }

  /** Software NIC without anything that a device may lack. */
  public static final class SoftBare extends LessProvider {
    static final String NAME = "soft-bare";

    /** For the service loader. */
    public SoftBare() {
      super("soft", NAME, EnumSet.allOf(DeviceCapability.class), true);
    }
  }

  /** Software NIC that takes pools for memory that no device can register. */
  public static final class SoftStaging extends LessProvider {
    static final String NAME = "soft-staging";

    /** For the service loader. */
    public SoftStaging() {
      super("soft", NAME, Set.of(), false);
    }
  }

  /** The kernel's devices without FLUSH. */
  public static final class RdmaWithoutFlush extends LessProvider {
    static final String NAME = "rdmacore-without-flush";

    /** For the service loader. */
    public RdmaWithoutFlush() {
      super(
          "rdmacore",
          NAME,
          Set.of(DeviceCapability.FLUSH_GLOBAL, DeviceCapability.FLUSH_PERSISTENT),
          true);
    }
  }

  /** The kernel's devices without ATOMIC_WRITE. */
  public static final class RdmaWithoutAtomicWrite extends LessProvider {
    static final String NAME = "rdmacore-without-atomic-write";

    /** For the service loader. */
    public RdmaWithoutAtomicWrite() {
      super("rdmacore", NAME, Set.of(DeviceCapability.ATOMIC_WRITE), true);
    }
  }

  @Override
  public final String name() {
    return name;
  }

  @Override
  public final Optional<String> unavailabilityCause() {
    return Optional.empty();
  }

  @Override
  public final boolean hasKernelDevices() {
    return VerbsProvider.find(base).orElseThrow().hasKernelDevices();
  }

  @Override
  public final Device open(DeviceOptions options) {
    Device device = VerbsProvider.named(base).open(options);
    DeviceAttributes has = device.attributes();
    EnumSet<DeviceCapability> left = EnumSet.allOf(DeviceCapability.class);
    left.retainAll(has.capabilities());
    left.removeAll(lacking);
    DeviceAttributes less =
        new DeviceAttributes(
            has.maxMessage(),
            has.maxQueueDepth(),
            has.maxBuffers(),
            has.maxInline(),
            has.maxPrivateData(),
            has.pathMtu(),
            has.canMapRemote(),
            left);
    return proxy(
        Device.class,
        (proxy, method, arguments) ->
            switch (method.getName()) {
              case "attributes" -> less;
              case "createProtectionDomain" -> less(device.createProtectionDomain());
              default -> call(device, method, arguments);
            });
  }

  private ProtectionDomain less(ProtectionDomain domain) {
    if (registersPools) {
      return domain;
    }
    return proxy(
        ProtectionDomain.class,
        (proxy, method, arguments) -> {
          if (method.getName().equals("register") && arguments[0] instanceof PersistentRegion) {
            throw new VerbsException(VerbsException.Code.UNAVAILABLE, "no such memory here");
          }
          return call(domain, method, arguments);
        });
  }

  private static <T> T proxy(Class<T> type, InvocationHandler handler) {
    return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler));
  }

  private static Object call(Object target, Method method, Object[] arguments) throws Throwable {
    try {
      return method.invoke(target, arguments);
    } catch (InvocationTargetException e) {
      throw e.getCause();
    }
  }
}
