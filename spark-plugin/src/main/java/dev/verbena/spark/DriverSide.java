// SPDX-License-Identifier: Apache-2.0
package dev.verbena.spark;

import dev.verbena.spark.conf.ConfigurationException;
import dev.verbena.spark.conf.ShuffleSettings;
import dev.verbena.spark.metrics.TaskCounters;
import dev.verbena.spark.node.StoreDirectoryEndpoint;
import java.util.Locale;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkContext;
import org.apache.spark.SparkEnv;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerExecutorRemoved;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What the driver does for the shuffle: configuration, directory of stores, counters. */
final class DriverSide {
  private static final Logger LOG = LoggerFactory.getLogger(DriverSide.class);
  private static final String MANAGER_KEY = "spark.shuffle.manager";
  private static final String IO_KEY = "spark.shuffle.sort.io.plugin.class";

  private final StoreDirectoryEndpoint directory;
  private TaskCounters counters;

  /**
   * Completes the application's configuration, before executors are sent it.
   *
   * @throws ConfigurationException if the user chose another shuffle I/O plug-in
   */
  DriverSide(SparkConf conf, ShuffleSettings settings) {
    String ours = VerbenaShuffleDataIO.class.getName();
    String chosen = conf.get(IO_KEY, ours);
    if (!chosen.equals(ours)) {
      throw new ConfigurationException(
          IO_KEY
              + " = '"
              + chosen
              + "' can't be combined with "
              + MANAGER_KEY
              + " = '"
              + VerbenaShuffleManager.class.getName()
              + "', which brings its own: remove one of the two");
    }
    conf.set(IO_KEY, ours);
    conf.set(StoreSecret.KEY, StoreSecret.random());
    SparkEnv env = SparkEnv.get();
    directory = new StoreDirectoryEndpoint(env.rpcEnv());
    env.rpcEnv().setupEndpoint(StoreDirectoryEndpoint.NAME, directory);
    LOG.info(
        "Verbena carries this application's shuffle: provider {}, pools of kind {} in {}",
        settings.provider(),
        settings.pool().kind().name().toLowerCase(Locale.ROOT),
        settings.pool().directory());
  }

  /** The application's counters, registered at the first call. */
  synchronized TaskCounters counters(SparkContext context) {
    if (counters == null) {
      counters = TaskCounters.register(context);
      context.addSparkListener(
          new SparkListener() {
            @Override
            public void onExecutorRemoved(SparkListenerExecutorRemoved removed) {
              directory.forget(removed.executorId());
            }
          });
    }
    return counters;
  }
}
