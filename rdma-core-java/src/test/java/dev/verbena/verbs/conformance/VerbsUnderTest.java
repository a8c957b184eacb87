// SPDX-License-Identifier: Apache-2.0
package dev.verbena.verbs.conformance;

import dev.verbena.memory.MappedMemory;
import dev.verbena.verbs.Device;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Path;
import java.util.Map;

/**
 * A provider as the suite sees it. Implementations have a public constructor without arguments, by
 * which child JVMs make them too.
 */
public interface VerbsUnderTest {
  /**
   * Opens a device.
   *
   * @param directory where it may keep files; the suite checks that none is left behind
   */
  Device open(Path directory);

  /** What {@code QueuePair.carrier()} must say of every connection. */
  String carrier();

  /** What its devices are known to lack, each with the reason; tests that need it are gated. */
  default Map<Ability, String> lacking() {
    return Map.of();
  }

  /**
   * Memory of zeros that a FLUSH of its devices makes durable; only one piece of it may be in use.
   *
   * @param owner whose domains it will be registered in
   */
  default MappedMemory persistentMemory(Device owner, long bytes) {
    return owner.allocate(bytes);
  }

  /** An IPv4 address that its devices can listen at. */
  default InetAddress address() {
    return numeric("127.0.0.1");
  }

  /** Another IPv4 address of the same device, to connect from. */
  default InetAddress otherSource() {
    return numeric("127.0.0.2");
  }

  /** An IPv6 address that its devices can listen at. */
  default InetAddress ipv6Address() {
    return numeric("::1");
  }

  /** The provider of that class name. */
  static VerbsUnderTest named(String className) {
    try {
      return Class.forName(className)
          .asSubclass(VerbsUnderTest.class)
          .getConstructor()
          .newInstance();
    } catch (ReflectiveOperationException e) {
      throw new IllegalArgumentException("no provider under test: " + className, e);
    }
  }

  private static InetAddress numeric(String address) {
    try {
      return InetAddress.getByName(address);
    } catch (UnknownHostException e) {
      throw new IllegalArgumentException("not a numeric address: " + address, e);
    }
  }
}
