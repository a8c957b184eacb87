// SPDX-License-Identifier: Apache-2.0
package dev.verbena.integration.spark;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.TimeoutException;
import org.apache.spark.ShuffleSuite;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkContext;
import org.scalactic.source.Position;
import org.scalatest.Tag;
import scala.Function0;
import scala.collection.immutable.Seq;
import scala.jdk.javaapi.CollectionConverters;

/**
 * Spark's own suite for shuffle managers, on ours. It is run by ScalaTest.
 *
 * <p>Its configuration is the one key that a user sets, and what the suite itself sets. Four of its
 * tests look for map outputs among the files of Spark's disk store, where we have none; under the
 * same names, {@link StoreCases} looks for them in the store.
 */
public final class VerbenaShuffleSuite extends ShuffleSuite {
  private static final double SHARE = 0.99;

  private final List<Traffic> traffic = new ArrayList<>();
  private TrafficMeter meter;
  private boolean breaksBlocks;

  /** The suite's tests, and one of all their traffic at the end. */
  public VerbenaShuffleSuite() {
    test(
        "their bytes came over our carriers and nothing fell back",
        CollectionConverters.asScala(List.<Tag>of()).toSeq(),
        this::checkTraffic,
        Position.apply("VerbenaShuffleSuite.java", "VerbenaShuffleSuite.java", 0));
  }

  @Override
  public void beforeAll() {
    super.beforeAll();
    conf().set(Cluster.MANAGER_KEY, Cluster.MANAGER);
  }

  /** Called by the superclass's constructor for each of its tests. */
  @Override
  public void test(String name, Seq<Tag> tags, Function0<Object> body, Position position) {
    Optional<StoreCases.Case> restated = StoreCases.named(name);
    if (restated.isEmpty()) {
      super.test(name, tags, body, position);
      return;
    }
    super.test(
        name,
        tags,
        () -> {
          breaksBlocks = restated.get().breaksBlocks();
          restated.get().run(this);
          return null;
        },
        position);
  }

  /** Each context that a test makes is metered from its beginning. */
  @Override
  public void sc_$eq(SparkContext context) {
    super.sc_$eq(context);
    if (context != null) {
      meter = TrafficMeter.on(context);
    }
  }

  @Override
  public void afterEach() {
    try {
      if (meter != null && !breaksBlocks) {
        traffic.add(meter.take());
      }
    } catch (TimeoutException e) {
      throw new IllegalStateException("Spark's listener bus does not run dry", e);
    } finally {
      meter = null;
      breaksBlocks = false;
      super.afterEach();
    }
  }

  /** The suite's configuration with more. */
  SparkConf confWith(Map<String, String> settings) {
    SparkConf copy = conf().clone();
    settings.forEach(copy::set);
    return copy;
  }

  private Object checkTraffic() {
    Traffic all = traffic.stream().reduce(new Traffic(new TreeMap<>()), Traffic::plus);
    assertThat(all.fallbacks()).as("%s", all).isZero();
    assertThat(all.count("bytes.own")).as("%s", all).isPositive();
    assertThat(all.foreignBytes()).as("%s", all).isPositive();
    assertThat(all.share("mapped")).as("%s", all).isGreaterThanOrEqualTo(SHARE);
    return null;
  }
}
