// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store.serve;

import dev.verbena.rpc.RpcSecret;
import dev.verbena.verbs.VerbsProvider;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Objects;
import java.util.stream.Collectors;

/**
 * How stores are served and read. Immutable; start from {@link #of} and change what differs.
 *
 * @param secret shared by all who may read from each other
 * @param provider name of the verbs provider, "soft" say; or, where its devices are the kernel's,
 *     with that of a device behind it, "rdmacore:mlx5_0" say
 * @param tcpOnly whether the carrier tcp is used between processes of one host too
 * @param deviceDirectory where a software device keeps its segments
 * @param connectTimeout over connecting, authenticating and attaching
 * @param fetchTimeout over each batch of READs, lookups included
 * @param bufferBytes registered memory, at most, that fetched blocks may take; made on demand
 * @param cacheBytes manifests of peers' outputs that are kept, in bytes
 */
public record ServeOptions(
    RpcSecret secret,
    String provider,
    boolean tcpOnly,
    Path deviceDirectory,
    Duration connectTimeout,
    Duration fetchTimeout,
    long bufferBytes,
    long cacheBytes) {

  /** Checks that nothing is missing. */
  public ServeOptions {
    Objects.requireNonNull(secret, "secret");
    Objects.requireNonNull(provider, "provider");
    Objects.requireNonNull(deviceDirectory, "deviceDirectory");
    Objects.requireNonNull(connectTimeout, "connectTimeout");
    Objects.requireNonNull(fetchTimeout, "fetchTimeout");
  }

  /** Provider soft, best carrier, 10 s to connect, 30 s to fetch, 512 MiB buffers, 64 MiB cache. */
  public static ServeOptions of(RpcSecret secret) {
    return new ServeOptions(
        secret,
        "soft",
        false,
        Path.of("/dev/shm"),
        Duration.ofSeconds(10),
        Duration.ofSeconds(30),
        512L << 20,
        64L << 20);
  }

  /** What {@link #provider} can be, for people: "rdmacore, rdmacore:DEVICE, soft" say. */
  public static String providers() {
    return VerbsProvider.names().stream()
        .map(name -> Devices.areKernels(name) ? name + ", " + name + ":DEVICE" : name)
        .collect(Collectors.joining(", "));
  }

  /** Whether {@link #provider} can be that, here or on another machine. */
  public static boolean isProvider(String provider) {
    return VerbsProvider.find(provider).isPresent() || Devices.areKernels(provider);
  }

  /** Whether connections of that provider can be told to go by tcp only. */
  public static boolean choosesCarrier(String provider) {
    return !Devices.areKernels(provider);
  }

  /** The same with or without the better carriers. */
  public ServeOptions withTcpOnly(boolean only) {
    return new ServeOptions(
        secret,
        provider,
        only,
        deviceDirectory,
        connectTimeout,
        fetchTimeout,
        bufferBytes,
        cacheBytes);
  }

  /** The same with another provider. */
  public ServeOptions withProvider(String other, Path directory) {
    return new ServeOptions(
        secret, other, tcpOnly, directory, connectTimeout, fetchTimeout, bufferBytes, cacheBytes);
  }

  /** The same with other deadlines. */
  public ServeOptions withTimeouts(Duration connect, Duration fetch) {
    return new ServeOptions(
        secret, provider, tcpOnly, deviceDirectory, connect, fetch, bufferBytes, cacheBytes);
  }

  /** The same with other bounds on memory. */
  public ServeOptions withMemory(long buffers, long cache) {
    return new ServeOptions(
        secret, provider, tcpOnly, deviceDirectory, connectTimeout, fetchTimeout, buffers, cache);
  }
}
