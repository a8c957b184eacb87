// SPDX-License-Identifier: Apache-2.0
package dev.verbena.spark.conf;

import dev.verbena.store.PoolKind;
import dev.verbena.store.serve.ServeOptions;
import java.time.Duration;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.spark.SparkConf;
import scala.Option;

/**
 * The plug-in's configuration, read and checked once.
 *
 * @param provider name of the verbs provider, or of it and a device
 * @param tcpOnly whether tcp is forced
 * @param mapped whether blocks on the same host are loaded from mapped memory, not READ
 * @param required whether falling back to Spark's shuffle is an error
 * @param pool where and how large an executor's store is
 * @param writer how map tasks write
 * @param verifyReads whether own blocks are checked against the pool's CRC32C
 * @param bindAddress numeric address to serve at
 * @param port port to serve at, 0 for a free one
 * @param timeouts how long things may take
 */
public record ShuffleSettings(
    String provider,
    boolean tcpOnly,
    boolean mapped,
    boolean required,
    Pool pool,
    Writer writer,
    boolean verifyReads,
    Optional<String> bindAddress,
    int port,
    Timeouts timeouts) {

  private static final Pattern LOCAL_CLUSTER =
      Pattern.compile("local-cluster\\[\\s*([0-9]+)\\s*,.*]");

  /**
   * Where and how large a store is.
   *
   * @param kind what backs it
   * @param directory template of the pool's directory, or device
   * @param size bytes, if given
   * @param executorsPerHost how many share the directory
   * @param overflowDirectory template of the overflow's directory
   * @param overflowFileSize bytes of one overflow file
   * @param overflowSize bytes of all overflow files, 0 for no overflow
   * @param durability process, os_crash or power
   */
  public record Pool(
      PoolKind kind,
      String directory,
      OptionalLong size,
      int executorsPerHost,
      String overflowDirectory,
      long overflowFileSize,
      long overflowSize,
      String durability) {
    /** Whether it is in memory, and so as large as memory allows. */
    public boolean inMemory() {
      return kind == PoolKind.MEMORY;
    }

    /** Whether {@link #directory} is a device. */
    public boolean onDevice() {
      return kind == PoolKind.DEVDAX;
    }
  }

  /**
   * How map tasks write.
   *
   * @param direct whether the direct writer may be used
   * @param bufferBytes serialized bytes a task holds before it flushes a round
   */
  public record Writer(boolean direct, long bufferBytes) {}

  /**
   * How long things may take.
   *
   * @param connect connecting to a store
   * @param fetch a request for blocks
   * @param lookup asking the driver for a store's address
   */
  public record Timeouts(Duration connect, Duration fetch, Duration lookup) {}

  /**
   * Reads and checks a configuration.
   *
   * @throws ConfigurationException for an unknown key or a bad value, in one line
   */
  public static ShuffleSettings read(SparkConf conf) {
    UnknownKeys.refuse(conf);
    return new ShuffleSettings(
        ShuffleKeys.PROVIDER.read(conf),
        readTcpOnly(conf),
        ShuffleKeys.PATH.read(conf).equals("mapped"),
        (boolean) ShuffleKeys.REQUIRED.read(conf),
        readPool(conf),
        new Writer(
            (boolean) ShuffleKeys.DIRECT_WRITER.read(conf),
            (long) ShuffleKeys.WRITER_BUFFER.read(conf)),
        (boolean) ShuffleKeys.VERIFY.read(conf),
        toJava(ShuffleKeys.BIND_ADDRESS.read(conf)),
        (int) ShuffleKeys.PORT.read(conf),
        new Timeouts(
            millis(ShuffleKeys.CONNECT_TIMEOUT, conf),
            millis(ShuffleKeys.FETCH_TIMEOUT, conf),
            millis(ShuffleKeys.LOOKUP_TIMEOUT, conf)));
  }

  private static boolean readTcpOnly(SparkConf conf) {
    boolean tcpOnly = ShuffleKeys.CARRIER.read(conf).equals("tcp");
    String provider = ShuffleKeys.PROVIDER.read(conf);
    if (tcpOnly && !ServeOptions.choosesCarrier(provider)) {
      throw new ConfigurationException(
          ShuffleKeys.CARRIER.name()
              + " = 'tcp': expected auto, which is all that "
              + ShuffleKeys.PROVIDER.name()
              + " = '"
              + provider
              + "' has");
    }
    return tcpOnly;
  }

  private static Pool readPool(SparkConf conf) {
    PoolKind kind = PoolKind.valueOf(ShuffleKeys.POOL_KIND.read(conf).toUpperCase(Locale.ROOT));
    String durability = ShuffleKeys.DURABILITY.read(conf);
    if (kind == PoolKind.MEMORY && !durability.equals("process")) {
      throw new ConfigurationException(
          ShuffleKeys.DURABILITY.name()
              + " = '"
              + durability
              + "': expected process, which is all that "
              + ShuffleKeys.POOL_KIND.name()
              + " = 'memory' can promise");
    }
    OptionalLong size =
        toJava(ShuffleKeys.POOL_SIZE.read(conf))
            .map(value -> OptionalLong.of((long) value))
            .orElse(OptionalLong.empty());
    OptionalInt perHost =
        toJava(ShuffleKeys.EXECUTORS_PER_HOST.read(conf))
            .map(value -> OptionalInt.of((int) value))
            .orElse(OptionalInt.empty());
    return new Pool(
        kind,
        ShuffleKeys.POOL_DIRECTORY.read(conf),
        size,
        perHost.orElseGet(() -> localClusterSize(conf.get("spark.master", ""))),
        ShuffleKeys.OVERFLOW_DIRECTORY.read(conf),
        (long) ShuffleKeys.OVERFLOW_FILE_SIZE.read(conf),
        (long) ShuffleKeys.OVERFLOW_SIZE.read(conf),
        durability.toUpperCase(Locale.ROOT));
  }

  private static int localClusterSize(String master) {
    Matcher cluster = LOCAL_CLUSTER.matcher(master);
    return cluster.matches() ? Math.max(1, Integer.parseInt(cluster.group(1))) : 1;
  }

  private static Duration millis(Key<Object> key, SparkConf conf) {
    return Duration.ofMillis((long) key.read(conf));
  }

  private static <T> Optional<T> toJava(Option<T> option) {
    return option.isDefined() ? Optional.of(option.get()) : Optional.empty();
  }
}
