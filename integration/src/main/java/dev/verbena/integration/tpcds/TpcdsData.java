// SPDX-License-Identifier: Apache-2.0
package dev.verbena.integration.tpcds;

import dev.verbena.integration.Checkout;
import dev.verbena.integration.IntegrationException;
import dev.verbena.integration.RunDirectory;
import dev.verbena.integration.sidebyside.Json;
import dev.verbena.integration.sparkhome.SparkApplication;
import dev.verbena.integration.sparkhome.SparkHome;
import dev.verbena.integration.sparkhome.SparkProcess;
import io.trino.tpcds.Table;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.List;

/**
 * The data of one scale: made once, complete or not there at all, and used again by later runs.
 *
 * @param folder holds a folder of Parquet files a table
 * @param manifest what it holds
 */
record TpcdsData(Path folder, DataManifest manifest) {
  private static final Duration PER_UNIT_OF_SCALE = Duration.ofMinutes(30);
  private static final Duration AT_LEAST = Duration.ofMinutes(20);

  /**
   * Returns the data of a scale, which is generated if it is not there yet. Of several processes
   * that want the same data one makes it, and the others wait.
   *
   * @param base holds a folder a scale
   */
  static TpcdsData ensure(Checkout checkout, Path base, Scale scale, PrintStream out) {
    Path folder = base.toAbsolutePath().normalize().resolve(scale.folder());
    try {
      Files.createDirectories(folder.getParent());
      Path lockFile = folder.resolveSibling(scale.folder() + ".lock");
      try (FileChannel channel =
          FileChannel.open(lockFile, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
        channel.lock();
        if (!Files.exists(folder.resolve(DataManifest.FILE))) {
          generate(checkout, folder, scale, out);
        }
      }
    } catch (IOException e) {
      throw new IntegrationException("cannot make the data folder " + folder, e);
    }
    return open(folder);
  }

  /** The data in a folder, checked against its manifest. */
  static TpcdsData open(Path folder) {
    DataManifest manifest = Json.read(folder.resolve(DataManifest.FILE), DataManifest.class);
    if (!manifest.generator().equals(TpcdsGenerator.NAME)) {
      throw new IntegrationException(
          folder
              + " was made by "
              + manifest.generator()
              + ", expected "
              + TpcdsGenerator.NAME
              + ": remove the folder, and it is made anew");
    }
    List<String> damaged = manifest.damaged(folder);
    if (!damaged.isEmpty()) {
      throw new IntegrationException(
          "the files of "
              + damaged
              + " in "
              + folder
              + " are not those that were written there:"
              + " remove the folder, and it is made anew");
    }
    return new TpcdsData(folder, manifest);
  }

  private static void generate(Checkout checkout, Path folder, Scale scale, PrintStream out)
      throws IOException {
    Path unfinished = folder.resolveSibling(folder.getFileName() + ".unfinished");
    RunDirectory.deleteTree(unfinished);
    out.println("making TPC-DS data of scale " + scale + " in " + folder);
    try (RunDirectory run = RunDirectory.create(checkout.runs(), "tpcds-data");
        SparkProcess driver =
            generator(run, unfinished, scale).start(SparkHome.in(run, checkout), run.disk())) {
      int code = driver.awaitExit(patience(scale));
      if (code != 0) {
        run.keep();
        throw new IntegrationException(
            "the generator ended with " + code + ", log " + driver.log() + ":\n" + driver.tail());
      }
    }
    if (Files.exists(folder)) {
      throw new IntegrationException(
          folder + " has no " + DataManifest.FILE + ", so something else made it: remove it");
    }
    Files.move(unfinished, folder, StandardCopyOption.ATOMIC_MOVE);
  }

  private static SparkApplication generator(RunDirectory run, Path output, Scale scale) {
    return new SparkApplication("tpcds-data", TpcdsGenerator.class)
        .classPath(Checkout.codeOf(Table.class))
        .driverMemory("2g")
        .conf("spark.local.dir", run.disk().resolve("local").toString())
        .arguments(scale.toString(), output.toString())
        .showOutput();
  }

  private static Duration patience(Scale scale) {
    long seconds = (long) (PER_UNIT_OF_SCALE.toSeconds() * scale.factor().doubleValue());
    return Duration.ofSeconds(Math.max(AT_LEAST.toSeconds(), seconds));
  }
}
