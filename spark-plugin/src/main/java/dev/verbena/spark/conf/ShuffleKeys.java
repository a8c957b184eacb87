// SPDX-License-Identifier: Apache-2.0
package dev.verbena.spark.conf;

import dev.verbena.store.serve.ServeOptions;
import io.netty.util.NetUtil;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.function.LongPredicate;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.apache.spark.internal.config.ConfigBuilder;
import org.apache.spark.internal.config.TypedConfigBuilder;
import org.apache.spark.network.util.ByteUnit;
import scala.Option;

/** Every key of the shuffle, in Spark's own types; {@link ShuffleSettings} reads them. */
final class ShuffleKeys {
  static final String PREFIX = "spark.shuffle.verbena.";

  private static final String DIRECTORY =
      "absolute path, with no other places than {app}, {executor} and a leading {local}";
  private static final Pattern DIRECTORIES = Pattern.compile("(/|\\{local})[^{}]*");
  private static final Pattern PLACES = Pattern.compile("\\{(app|executor)}");

  static final Key<String> PROVIDER =
      checked(
          "provider",
          "one of " + ServeOptions.providers(),
          "soft",
          ServeOptions::isProvider,
          "The verbs provider that carries blocks. soft is the software NIC: it needs no hardware."
              + " rdmacore is the kernel's verbs (not tried with a whole job yet): a network card, or"
              + " soft-RoCE; the first active device, or the one named behind it, as in"
              + " `rdmacore:mlx5_0`. The executor's address must be one of the device's, see"
              + " `bindAddress`. Without the device, executors leave their blocks to Spark's own"
              + " transfer and say so, or see `required`.");

  static final Key<String> CARRIER =
      choice(
          "carrier",
          List.of("auto", "tcp"),
          "auto takes shared memory where two processes prove that they share a host, tcp"
              + " elsewhere. tcp forces it everywhere. The kernel's devices have auto alone.");

  static final Key<String> PATH =
      choice(
          "path",
          List.of("mapped", "read"),
          "How blocks of another executor on the same host are read: mapped loads them from its"
              + " store's memory, read fetches them by a verbs READ as if it were another host.");

  static final Key<Object> REQUIRED =
      flag(
          "required",
          false,
          "Whether an application that can't use this shuffle (`spark.shuffle.service.enabled`,"
              + " `spark.storage.decommission.fallbackStorage.path`, or encrypted block transfer by"
              + " `spark.network.crypto.enabled`, `spark.ssl.rpc.enabled` or"
              + " `spark.authenticate.enableSaslEncryption` without `spark.io.encryption.enabled`)"
              + " fails at start instead of using Spark's own, and an executor whose device can't be opened fails its tasks instead"
              + " of serving its blocks by Spark's own transfer.");

  static final Key<String> POOL_KIND =
      choice(
          "pool.kind",
          List.of("memory", "file", "fsdax", "devdax"),
          "What backs an executor's pool: memory (a file system in memory), file (a disk), fsdax (a"
              + " DAX file system on persistent memory, mapped with MAP_SYNC) or devdax (a device of"
              + " persistent memory without a file system, whose blocks of earlier executors are"
              + " removed).");

  static final Key<String> POOL_DIRECTORY =
      checked(
          "pool.directory",
          DIRECTORY,
          "/dev/shm",
          ShuffleKeys::isDirectory,
          "Directory of the pool; of kind devdax its device, one for each executor of a host, as in"
              + " `/dev/dax{executor}.0`. {app} stands for the application's id, {executor} for the"
              + " executor's id, {local} for the executor's first local directory.");

  static final Key<Option<Object>> POOL_SIZE =
      new Key<>(
          bytes(
                  "pool.size",
                  "Most bytes of an executor's pool; it grows as it is used. In a container, memory that it"
                      + " takes is charged to the container: count it in `spark.executor.memoryOverhead`.",
                  64 << 10)
              .createOptional(),
          "size of at least 64k",
          "of kind devdax the device, else half of what is free in `pool.directory` when the executor starts, divided by"
              + " `executorsPerHost`, and at most half of what its cgroup leaves beside the heap");

  static final Key<Option<Object>> EXECUTORS_PER_HOST =
      new Key<>(
          builder(
                  "executorsPerHost",
                  "How many executors of the application share a host's `pool.directory`.")
              .intConf()
              .checkValue(n -> (int) n >= 1, "at least 1")
              .createOptional(),
          "number of at least 1",
          "the number in a `local-cluster` master, else 1");

  static final Key<String> OVERFLOW_DIRECTORY =
      checked(
          "overflow.directory",
          DIRECTORY,
          "{local}",
          ShuffleKeys::isDirectory,
          "Where blocks go when the pool is full, in file pools; templates as in"
              + " `pool.directory`.");

  static final Key<Object> OVERFLOW_FILE_SIZE =
      size("overflow.fileSize", 64 << 10, "256m", "Size of one file pool of the overflow.");

  static final Key<Object> OVERFLOW_SIZE =
      new Key<>(
          builder(
                  "overflow.size",
                  "Most bytes of an executor's overflow in all its files; 0 turns it off.")
              .bytesConf(ByteUnit.BYTE)
              .checkValue(n -> (long) n == 0 || (long) n >= 64 << 10, "0 or at least 65536 bytes")
              .createWithDefaultString("1t"),
          "0 or size of at least 64k",
          "`1t`");

  static final Key<String> DURABILITY =
      choice(
          "durability",
          List.of("process", "os_crash", "power"),
          "What published blocks survive. Spark's own shuffle never syncs its files, which is"
              + " process.");

  static final Key<Object> DIRECT_WRITER =
      flag(
          "writer.direct",
          true,
          "Whether map tasks without map-side combine and with a relocatable serializer write"
              + " partitions into the pool without sort, spill, merge and files.");

  static final Key<Object> WRITER_BUFFER =
      size(
          "writer.buffer",
          1 << 20,
          "64m",
          "Serialized bytes that a task's direct writer holds before it flushes them to the pool.");

  static final Key<Object> VERIFY =
      flag(
          "reader.verify",
          false,
          "Whether an executor checks the pool's CRC32C when it reads its own blocks.");

  static final Key<Option<String>> BIND_ADDRESS =
      new Key<>(
          builder(
                  "bindAddress",
                  "Address at which an executor's store is served. At a wildcard address (`0.0.0.0`,"
                      + " `::`) others find it under the executor's Spark address.")
              .stringConf()
              .checkValue(ShuffleKeys::isAddress, "numeric")
              .createOptional(),
          "numeric IPv4 or IPv6 address",
          "the executor's Spark address");

  static final Key<Object> PORT =
      new Key<>(
          builder("port", "Port at which an executor's store is served; 0 takes a free one.")
              .intConf()
              .checkValue(n -> (int) n >= 0 && (int) n <= 65535, "0 to 65535")
              .createWithDefault(0),
          "number from 0 to 65535",
          "`0`");

  static final Key<Object> CONNECT_TIMEOUT =
      time("timeout.connect", "10s", "How long connecting to another store may take.");

  static final Key<Object> FETCH_TIMEOUT =
      time("timeout.fetch", "60s", "How long a request may take before its blocks fall back.");

  static final Key<Object> LOOKUP_TIMEOUT =
      time("timeout.lookup", "30s", "How long asking the driver where a store is may take.");

  private ShuffleKeys() {}

  /** All of them, sorted by name. */
  static List<Key<?>> all() {
    return Stream.of(
            PROVIDER,
            CARRIER,
            PATH,
            REQUIRED,
            POOL_KIND,
            POOL_DIRECTORY,
            POOL_SIZE,
            EXECUTORS_PER_HOST,
            OVERFLOW_DIRECTORY,
            OVERFLOW_FILE_SIZE,
            OVERFLOW_SIZE,
            DURABILITY,
            DIRECT_WRITER,
            WRITER_BUFFER,
            VERIFY,
            BIND_ADDRESS,
            PORT,
            CONNECT_TIMEOUT,
            FETCH_TIMEOUT,
            LOOKUP_TIMEOUT)
        .sorted(Comparator.comparing(Key::name))
        .<Key<?>>map(key -> key)
        .toList();
  }

  private static ConfigBuilder builder(String name, String doc) {
    return new ConfigBuilder(PREFIX + name).doc(doc).version("0.1.0");
  }

  private static TypedConfigBuilder<Object> bytes(String name, String doc, long least) {
    LongPredicate enough = value -> value >= least;
    return builder(name, doc)
        .bytesConf(ByteUnit.BYTE)
        .checkValue(value -> enough.test((long) value), "at least " + least + " bytes");
  }

  private static boolean isAddress(String value) {
    return NetUtil.isValidIpV4Address(value) || NetUtil.isValidIpV6Address(value);
  }

  private static boolean isDirectory(String template) {
    String rest = PLACES.matcher(template).replaceAll("");
    return DIRECTORIES.matcher(rest).matches();
  }

  private static Key<String> checked(
      String name, String expected, String preset, Predicate<String> check, String doc) {
    return new Key<>(
        builder(name, doc).stringConf().checkValue(check::test, expected).createWithDefault(preset),
        expected,
        code(preset));
  }

  private static Key<String> choice(String name, List<String> values, String doc) {
    String list = String.join(", ", values);
    return new Key<>(
        builder(name, doc)
            .stringConf()
            .transform(value -> value.toLowerCase(Locale.ROOT))
            .checkValue(values::contains, "one of " + list)
            .createWithDefault(values.get(0)),
        "one of " + list,
        code(values.get(0)));
  }

  private static Key<Object> flag(String name, boolean preset, String doc) {
    return new Key<>(
        builder(name, doc).booleanConf().createWithDefault(preset),
        "true or false",
        code(Boolean.toString(preset)));
  }

  private static Key<Object> size(String name, long least, String preset, String doc) {
    return new Key<>(
        bytes(name, doc, least).createWithDefaultString(preset),
        "size of at least " + leastSize(least),
        code(preset));
  }

  private static String leastSize(long bytes) {
    return bytes >= 1 << 20 ? (bytes >> 20) + "m" : (bytes >> 10) + "k";
  }

  private static Key<Object> time(String name, String preset, String doc) {
    return new Key<>(
        builder(name, doc)
            .timeConf(TimeUnit.MILLISECONDS)
            .checkValue(value -> (long) value >= 1, "at least 1ms")
            .createWithDefaultString(preset),
        "time of at least 1ms",
        code(preset));
  }

  private static String code(String value) {
    return "`" + value + "`";
  }
}
