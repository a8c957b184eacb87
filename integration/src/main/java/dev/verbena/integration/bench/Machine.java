// SPDX-License-Identifier: Apache-2.0
package dev.verbena.integration.bench;

import dev.verbena.integration.IntegrationException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;

/** What a figure's reader must know of the machine. */
public final class Machine {
  private static final Path L3_SIZE = Path.of("/sys/devices/system/cpu/cpu0/cache/index3/size");

  private Machine() {}

  /**
   * The environment of a report.
   *
   * @param medium what the bytes went over and lie in
   */
  public static Map<String, String> environment(String medium) {
    Map<String, String> environment = new LinkedHashMap<>();
    environment.put("medium", medium);
    environment.put("cpu", cpuModel());
    environment.put("cores", String.valueOf(Runtime.getRuntime().availableProcessors()));
    environment.put("l3", Files.isReadable(L3_SIZE) ? text(L3_SIZE).strip() : "unknown");
    environment.put("java", System.getProperty("java.runtime.version"));
    environment.put("kernel", System.getProperty("os.version"));
    return environment;
  }

  private static String cpuModel() {
    return text(Path.of("/proc/cpuinfo"))
        .lines()
        .filter(line -> line.startsWith("model name"))
        .map(line -> line.substring(line.indexOf(':') + 1).strip())
        .findFirst()
        .orElse("unknown");
  }

  private static String text(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      throw new IntegrationException("cannot read " + file, e);
    }
  }
}
