// SPDX-License-Identifier: Apache-2.0
package dev.verbena.cli.doctor;

import dev.verbena.verbs.DeviceOptions;
import dev.verbena.verbs.DeviceOptions.CarrierPolicy;
import dev.verbena.verbs.VerbsException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** SEND, WRITE and READ of the software NIC over loopback, by each carrier. */
final class CarriersProbe implements Probe {
  private static final String AREA = "carriers";
  private static final String PROVIDER = "soft";

  private final Path directory;

  CarriersProbe(Path directory) {
    this.directory = directory;
  }

  @Override
  public List<Finding> look() {
    List<Finding> findings = new ArrayList<>(over(CarrierPolicy.AUTOMATIC, "shm"));
    findings.addAll(over(CarrierPolicy.TCP_ONLY, "tcp"));
    return findings;
  }

  private List<Finding> over(CarrierPolicy policy, String expected) {
    String subject = PROVIDER + " over " + expected;
    DeviceOptions options = new DeviceOptions(directory, policy);
    try (Loopback loopback = Loopback.connect(PROVIDER, options)) {
      if (!loopback.carrier().equals(expected)) {
        return List.of(
            Finding.problem(
                AREA,
                subject,
                "the connection went over " + loopback.carrier(),
                "both ends must be able to open each other's files in " + directory));
      }
      return List.of(
          Finding.ok(AREA, subject + ": SEND 64 B", micros(loopback.send())),
          Finding.ok(AREA, subject + ": WRITE 1 MiB", micros(loopback.write())),
          Finding.ok(AREA, subject + ": READ 1 MiB", micros(loopback.read())));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return List.of(failed(subject, "interrupted"));
    } catch (VerbsException | LoopbackException | UncheckedIOException e) {
      return List.of(failed(subject, e.getMessage()));
    }
  }

  private static Finding failed(String subject, String why) {
    return Finding.problem(
        AREA,
        subject,
        why,
        "the loopback interface must be up, and the directory of devices be writable and have room");
  }

  private static String micros(double mean) {
    return String.format(Locale.ROOT, "%.1f us (mean, cold, sleeping)", mean);
  }
}
