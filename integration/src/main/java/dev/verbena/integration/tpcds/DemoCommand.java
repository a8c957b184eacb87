// SPDX-License-Identifier: Apache-2.0
package dev.verbena.integration.tpcds;

import dev.verbena.integration.Checkout;
import dev.verbena.integration.sidebyside.SparkSubject;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code verbena demo}: a few queries on little data, both paths beside stock Spark. */
@Command(
    name = "demo",
    mixinStandardHelpOptions = true,
    description = {
      "Runs 8 TPC-DS queries at scale 0.1 on stock Spark and on Spark with the plug-in, once",
      "reading a same-host peer's blocks from a mapping and once by verb READs."
    })
public final class DemoCommand implements Callable<Integer> {
  private static final String SCALE = "0.1";
  private static final int EXECUTOR_MEBIBYTES = 1024;

  @Mixin private TpcdsOptions options;

  /** For picocli, which sets the options. */
  public DemoCommand() {}

  @Override
  public Integer call() {
    Checkout checkout = Checkout.locate();
    Path jar = checkout.pluginJar();
    List<SparkSubject> subjects =
        List.of(
            SparkSubject.vanilla(SparkSubject.VANILLA),
            SparkSubject.verbena("verbena/mapped", jar, SparkSubject.ReadPath.mapped, null),
            SparkSubject.verbena("verbena/read", jar, SparkSubject.ReadPath.read, null));
    boolean ok =
        new TpcdsSession(checkout, options, System.out)
            .run(Scale.parse(SCALE), "demo", subjects, EXECUTOR_MEBIBYTES, new Rounds(1));
    return ok ? 0 : 1;
  }
}
