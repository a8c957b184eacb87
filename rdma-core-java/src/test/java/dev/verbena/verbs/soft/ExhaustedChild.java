// SPDX-License-Identifier: Apache-2.0
package dev.verbena.verbs.soft;

import dev.verbena.testing.Await;
import dev.verbena.testing.Descriptors;
import dev.verbena.time.Deadline;
import dev.verbena.verbs.Device;
import dev.verbena.verbs.DeviceOptions;
import dev.verbena.verbs.Listener;
import dev.verbena.verbs.ProtectionDomain;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/**
 * A device that listens, in a process that uses up its descriptors and frees them again as it is
 * told. Prints the port of its listener, and an answer to each word.
 */
final class ExhaustedChild {
  private ExhaustedChild() {}

  public static void main(String[] arguments) throws IOException, InterruptedException {
    BufferedReader words =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    Descriptors descriptors = new Descriptors();
    DeviceOptions options = DeviceOptions.defaults().withDirectory(Path.of(arguments[0]));
    try (Device device = new SoftProvider().open(options);
        Listener listener =
            device.listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 8)) {
      System.out.println(listener.address().getPort());
      for (String word = words.readLine(); word != null; word = words.readLine()) {
        switch (word) {
          case "accept" -> accept(device, listener);
          case "use up" -> descriptors.useUp();
          default -> descriptors.free();
        }
        System.out.println(word);
      }
    }
  }

  private static void accept(Device device, Listener listener) throws InterruptedException {
    Deadline deadline = Deadline.after(Await.PATIENCE);
    ProtectionDomain domain = device.createProtectionDomain();
    listener
        .nextRequest(deadline)
        .accept(SoftConnector.end(device, domain).queuePair(), new byte[0], deadline);
  }
}
