// SPDX-License-Identifier: Apache-2.0
package dev.verbena.integration.sparkhome;

import static org.assertj.core.api.Assertions.assertThat;

import dev.verbena.integration.Checkout;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class SparkApplicationTest {
  private static final String CODE = Checkout.codeOf(SparkApplicationTest.class).toString();

  @Test
  void itIsSubmittedWithWhatItWasGiven() {
    SparkApplication application =
        new SparkApplication("shown", SparkApplicationTest.class)
            .master(SparkApplication.localClusterUrl(2, 1, 3072))
            .conf("spark.executor.memory", "2g")
            .jar(Path.of("/a.jar"))
            .jar(Path.of("/b.jar"))
            .classPath(Path.of("/c"))
            .arguments("x", "--y");
    assertThat(application.command())
        .containsSequence(
            "org.apache.spark.deploy.SparkSubmit", "--master", "local-cluster[2,1,3072]")
        .containsSequence("--jars", "/a.jar,/b.jar")
        .containsSequence("--conf", "spark.executor.extraClassPath=" + CODE + ":/c")
        .containsSequence("--conf", "spark.executor.memory=2g")
        .endsWith("spark-internal", "x", "--y");
  }

  @Test
  void aLaterValueOfAKeyReplacesAnEarlierOne() {
    SparkApplication application =
        new SparkApplication("shown", SparkApplicationTest.class).conf("spark.ui.enabled", "true");
    assertThat(application.command())
        .contains("spark.ui.enabled=true")
        .doesNotContain("spark.ui.enabled=false");
  }
}
