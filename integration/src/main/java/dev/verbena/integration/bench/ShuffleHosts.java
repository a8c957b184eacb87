// SPDX-License-Identifier: Apache-2.0
package dev.verbena.integration.bench;

import dev.verbena.integration.sidebyside.SparkSubject;
import dev.verbena.integration.sidebyside.SparkSubject.Carrier;
import dev.verbena.integration.sidebyside.SparkSubject.ReadPath;
import java.nio.file.Path;
import java.util.List;

/** What two executors of one machine stand for. */
enum ShuffleHosts {
  /** Two hosts: neither reads the other's files or maps its memory. */
  two,
  /** One host: stock Spark reads the other's files, the plug-in maps the other's memory. */
  one;

  private static final String HOST_LOCAL = "spark.shuffle.readHostLocalDisk";

  /** What a user may ask for. */
  enum Choice {
    two,
    one,
    both;

    List<ShuffleHosts> rows() {
      return switch (this) {
        case two -> List.of(ShuffleHosts.two);
        case one -> List.of(ShuffleHosts.one);
        case both -> List.of(ShuffleHosts.two, ShuffleHosts.one);
      };
    }
  }

  SparkSubject vanilla(String name) {
    return SparkSubject.vanilla(name).with(HOST_LOCAL, hostLocal());
  }

  /**
   * Spark with the plug-in.
   *
   * @param carrier null leaves the plug-in's default
   */
  SparkSubject verbena(String name, Path pluginJar, Carrier carrier) {
    ReadPath path = this == two ? ReadPath.read : null;
    return SparkSubject.verbena(name, pluginJar, path, carrier).with(HOST_LOCAL, hostLocal());
  }

  /** What is appended to the name of a case; the main row has nothing. */
  String suffix() {
    return this == two ? "" : "_one_host";
  }

  private String hostLocal() {
    return Boolean.toString(this == one);
  }
}
