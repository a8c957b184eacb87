// SPDX-License-Identifier: Apache-2.0
package dev.verbena.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class BytesTest {
  @ParameterizedTest
  @CsvSource({"0, 0", "65536, 65536", "64k, 65536", "64KB, 65536", "3m, 3145728", "1g, 1073741824"})
  void sizesAreReadAsSparkReadsThem(String text, long bytes) {
    assertThat(Bytes.parse(text).count()).isEqualTo(bytes);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "m", "-1", "1.5g", "2 g", "9999999t", "1x"})
  void whatIsNoSizeIsRefusedByName(String text) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Bytes.parse(text))
        .withMessageContaining("'" + text + "'");
  }

  @Test
  void sizesAreShownInTheLargestUnitThatFits() {
    assertThat(new Bytes(1023)).hasToString("1023 B");
    assertThat(new Bytes(1536)).hasToString("1.5 KiB");
    assertThat(new Bytes(3L << 40)).hasToString("3.0 TiB");
  }
}
