// SPDX-License-Identifier: Apache-2.0
package dev.verbena.integration.tpcds;

import java.math.BigDecimal;

/**
 * A TPC-DS scale factor.
 *
 * @param factor about the gigabytes of raw text
 */
record Scale(BigDecimal factor) {
  Scale {
    if (factor.signum() <= 0) {
      throw new IllegalArgumentException("scale " + factor + " is not above 0");
    }
    factor = factor.stripTrailingZeros();
  }

  static Scale parse(String text) {
    return new Scale(new BigDecimal(text));
  }

  /** The name of the folder that data of this scale is kept in. */
  String folder() {
    return "sf" + this;
  }

  @Override
  public String toString() {
    return factor.toPlainString();
  }
}
