// SPDX-License-Identifier: Apache-2.0
package dev.verbena.verbs.soft;

import dev.verbena.testing.Await;
import dev.verbena.verbs.CompletionStatus;
import dev.verbena.verbs.ConnectionParameters;
import dev.verbena.verbs.Device;
import dev.verbena.verbs.DeviceOptions.CarrierPolicy;
import dev.verbena.verbs.QueuePair;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/**
 * The end with the faults, in a JVM of its own.
 *
 * <p>Arguments: directory, carrier policy, port, family, whether it acts, fault plan. It says
 * {@link #READY} once connected, begins with the faults at {@link #GO}, and leaves when its input
 * ends. One that acts says the status that ended its rounds.
 */
final class FaultChild {
  static final String READY = "ready";
  static final String GO = "go";
  static final String BEGUN = "begun";

  private FaultChild() {}

  /** Plays the end. */
  public static void main(String[] args) throws IOException {
    BufferedReader input =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    FaultFamily family = FaultFamily.valueOf(args[3]);
    Device device = FaultBed.open(Path.of(args[0]), CarrierPolicy.valueOf(args[1]), args[5]);
    FaultEnd end = new FaultEnd(device, family, Await.PATIENCE);
    InetSocketAddress address =
        new InetSocketAddress(InetAddress.getLoopbackAddress(), Integer.parseInt(args[2]));
    byte[] answer = connect(device, end.queuePair(), address, end.offer().encode());
    connect(device, end.idle(), address, new byte[0]);
    FaultOffer offer = FaultOffer.decode(answer);
    end.begin();
    System.out.println(READY);
    String line = input.readLine();
    FaultBed.port(device).begin();
    System.out.println(BEGUN);
    if (GO.equals(line) && Boolean.parseBoolean(args[4])) {
      System.out.println(act(end, family, offer));
    }
    while (line != null) {
      line = input.readLine();
    }
    device.close();
  }

  private static byte[] connect(
      Device device, QueuePair queuePair, InetSocketAddress address, byte[] data) {
    return device.connect(
        queuePair, new ConnectionParameters(address, null, data, FaultBed.deadline()));
  }

  private static CompletionStatus act(FaultEnd end, FaultFamily family, FaultOffer offer) {
    CompletionStatus status = CompletionStatus.SUCCESS;
    for (int round = 0; status == CompletionStatus.SUCCESS; round++) {
      status = end.act(family, offer, round);
    }
    return status;
  }
}
