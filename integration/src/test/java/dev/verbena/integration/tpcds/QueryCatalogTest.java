// SPDX-License-Identifier: Apache-2.0
package dev.verbena.integration.tpcds;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.verbena.integration.Checkout;
import dev.verbena.integration.IntegrationException;
import org.junit.jupiter.api.Test;

class QueryCatalogTest {
  private final QueryCatalog catalog = QueryCatalog.read(Checkout.locate().sparkSqlTestsJar());

  @Test
  void allAreThereInTheOrderOfTheirNumbers() {
    assertThat(catalog.select("all"))
        .hasSize(103)
        .startsWith("q1", "q2", "q3")
        .containsSubsequence("q13", "q14a", "q14b", "q15")
        .endsWith("q98", "q99");
  }

  @Test
  void namesAreTakenAsGiven() {
    assertThat(catalog.select("q14a, q3")).containsExactly("q14a", "q3");
  }

  @Test
  void theListsNameQueriesThatExist() {
    assertThat(catalog.select("heavy")).hasSize(15).doesNotHaveDuplicates();
    assertThat(catalog.select("demo")).hasSize(8).doesNotHaveDuplicates();
  }

  @Test
  void anUnknownNameIsRefused() {
    assertThatThrownBy(() -> catalog.select("q3,q100"))
        .isInstanceOf(IntegrationException.class)
        .hasMessageContaining("'q100'");
  }
}
