// SPDX-License-Identifier: Apache-2.0
package dev.verbena.cli.agent;

import dev.verbena.cli.Bytes;
import dev.verbena.memory.DurabilityDomain;
import dev.verbena.store.PoolKind;
import dev.verbena.store.StoreException;
import dev.verbena.store.StoreOptions;
import dev.verbena.store.TierOptions;
import dev.verbena.store.agent.AgentOptions;
import dev.verbena.store.agent.AgentPlace;
import dev.verbena.store.agent.SocketAccess;
import dev.verbena.store.grant.GrantOptions;
import dev.verbena.store.serve.ServeOptions;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * An agent's settings file, as {@code conf-examples/agent.yaml} shows it.
 *
 * @param agent how the agent works
 * @param http where health, metrics and status page are; empty for nowhere
 */
public record AgentSettings(AgentOptions agent, Optional<InetSocketAddress> http) {
  private static final Pattern ADDRESS = Pattern.compile("[0-9.]+|[0-9a-fA-F:.]*:[0-9a-fA-F:.]*");
  private static final Pattern DURATION = Pattern.compile("(\\d{1,9})(ms|s|m|h|d)");
  private static final int HTTP_PORT = 7480;
  private static final int LAST_PORT = 65_535;
  private static final Duration VANISHED_AFTER = Duration.ofMinutes(10);
  private static final Duration DRAIN = Duration.ofSeconds(10);

  /**
   * Reads a file.
   *
   * @throws SettingsException naming the file and the key that is wrong
   */
  public static AgentSettings read(Path file) {
    return read(file, Optional.empty());
  }

  /** As {@link #read(Path)}, with another address than the file's if there is one. */
  static AgentSettings read(Path file, Optional<InetAddress> other) {
    Settings settings = Settings.read(file);
    Path socket = settings.value("socket", AgentPlace.standard(), Path::of).toAbsolutePath();
    InetAddress address =
        settings.value("address", InetAddress.getLoopbackAddress(), AgentSettings::address);
    AgentOptions agent;
    try {
      StoreOptions store = store(settings);
      agent =
          new AgentOptions(
              settings.value("name", hostName(), name -> name),
              store,
              GrantOptions.defaults(),
              settings.value("provider", "soft", AgentSettings::provider),
              settings.value("carrier", false, AgentSettings::isTcpOnly),
              settings.value("deviceDirectory", Path.of("/dev/shm"), Path::of),
              other.orElse(address),
              socket,
              settings.value(
                  "access", SocketAccess.OWNER, text -> choice(SocketAccess.class, text)),
              state(settings, store.tiers().get(0)),
              settings.value("token", "", AgentSettings::token),
              settings.value("vanishedAfter", VANISHED_AFTER, AgentSettings::duration),
              settings.value("drain", DRAIN, AgentSettings::duration));
    } catch (StoreException e) {
      throw settings.wrong(e);
    }
    Optional<InetSocketAddress> http = http(settings.child("http"));
    settings.end();
    return new AgentSettings(agent, http);
  }

  /** What is remembered of applications must be there as long as what they wrote. */
  private static Path state(Settings settings, TierOptions pool) {
    return pool.kind() == PoolKind.DEVDAX
        ? settings.required("state", Path::of)
        : settings.value(
            "state", pool.prefix().toAbsolutePath().resolveSibling("applications"), Path::of);
  }

  private static StoreOptions store(Settings settings) {
    List<TierOptions> pools = new ArrayList<>();
    for (Settings pool : settings.children("pools")) {
      pools.add(pool(pool));
    }
    return StoreOptions.of(pools.toArray(TierOptions[]::new))
        .withVerifyReads(settings.value("verifyReads", false, AgentSettings::isTrue))
        .withApplicationQuota(
            settings.value("quota", StoreOptions.NO_QUOTA, text -> Bytes.parse(text).count()));
  }

  private static TierOptions pool(Settings settings) {
    PoolKind kind = settings.required("kind", text -> choice(PoolKind.class, text));
    Path path = settings.required("path", Path::of);
    long size = settings.required("size", text -> Bytes.parse(text).count());
    long fileSize = settings.value("fileSize", size, text -> Bytes.parse(text).count());
    DurabilityDomain domain =
        settings.value(
            "domain", DurabilityDomain.PROCESS, text -> choice(DurabilityDomain.class, text));
    settings.end();
    if (domain.compareTo(kind.ceiling()) > 0) {
      throw settings.wrong(
          "domain", "pools of kind " + kind + " reach " + kind.ceiling() + " at most", null);
    }
    try {
      return new TierOptions(
          kind, path, fileSize, size, domain, false, "size in the agent's settings");
    } catch (StoreException e) {
      throw settings.wrong(e);
    }
  }

  private static Optional<InetSocketAddress> http(Settings settings) {
    boolean on = settings.value("enabled", true, AgentSettings::isTrue);
    InetAddress address =
        settings.value("address", InetAddress.getLoopbackAddress(), AgentSettings::address);
    int port = settings.value("port", HTTP_PORT, AgentSettings::port);
    settings.end();
    return on ? Optional.of(new InetSocketAddress(address, port)) : Optional.empty();
  }

  private static String hostName() {
    try {
      return Files.readString(Path.of("/proc/sys/kernel/hostname")).strip();
    } catch (IOException e) {
      return "localhost"; // A name for people only.
    }
  }

  private static String provider(String text) {
    if (!ServeOptions.isProvider(text)) {
      throw new IllegalArgumentException(
          "'" + text + "', expected one of " + ServeOptions.providers());
    }
    return text;
  }

  private static boolean isTcpOnly(String text) {
    return switch (text) {
      case "auto" -> false;
      case "tcp" -> true;
      default -> throw new IllegalArgumentException("'" + text + "', expected auto or tcp");
    };
  }

  private static boolean isTrue(String text) {
    return switch (text) {
      case "true" -> true;
      case "false" -> false;
      default -> throw new IllegalArgumentException("'" + text + "', expected true or false");
    };
  }

  static InetAddress address(String text) {
    try {
      if (ADDRESS.matcher(text).matches()) {
        return InetAddress.getByName(text);
      }
    } catch (UnknownHostException e) {
      throw new IllegalArgumentException("'" + text + "' is no address", e);
    }
    throw new IllegalArgumentException("'" + text + "', expected a numeric address");
  }

  private static int port(String text) {
    int port = text.matches("\\d{1,5}") ? Integer.parseInt(text) : -1;
    if (port < 0 || port > LAST_PORT) {
      throw new IllegalArgumentException("'" + text + "', expected a port, 0 for any that is free");
    }
    return port;
  }

  static Duration duration(String text) {
    Matcher matcher = DURATION.matcher(text);
    if (!matcher.matches()) {
      throw new IllegalArgumentException("'" + text + "', expected 500ms, 10s, 5m, 2h or 1d, say");
    }
    long number = Long.parseLong(matcher.group(1));
    return switch (matcher.group(2)) {
      case "ms" -> Duration.ofMillis(number);
      case "s" -> Duration.ofSeconds(number);
      case "m" -> Duration.ofMinutes(number);
      case "h" -> Duration.ofHours(number);
      default -> Duration.ofDays(number);
    };
  }

  /** The first line of a file, which others must not be able to read. */
  static String token(String file) {
    try {
      List<String> lines = Files.readAllLines(Path.of(file));
      if (lines.isEmpty() || lines.get(0).isBlank()) {
        throw new IllegalArgumentException(file + " has no token in its first line");
      }
      return lines.get(0).strip();
    } catch (IOException e) {
      throw new IllegalArgumentException(file + " can't be read: " + e, e);
    }
  }

  private static <E extends Enum<E>> E choice(Class<E> type, String text) {
    for (E each : type.getEnumConstants()) {
      if (each.name().equalsIgnoreCase(text)) {
        return each;
      }
    }
    throw new IllegalArgumentException(
        "'%s', expected one of %s"
            .formatted(text, Arrays.toString(type.getEnumConstants()).toLowerCase(Locale.ROOT)));
  }
}
