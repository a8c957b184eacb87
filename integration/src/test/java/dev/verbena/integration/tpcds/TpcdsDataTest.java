// SPDX-License-Identifier: Apache-2.0
package dev.verbena.integration.tpcds;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.verbena.integration.IntegrationException;
import dev.verbena.integration.sidebyside.Json;
import io.trino.tpcds.Table;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TpcdsDataTest {
  @TempDir private Path folder;

  @Test
  void whatTheManifestSaysIsRead() throws IOException {
    write("item", 100);
    assertThat(TpcdsData.open(folder).manifest().tables().get("item").rows()).isEqualTo(7);
  }

  @Test
  void aTruncatedFileIsRefused() throws IOException {
    write("item", 100);
    Files.write(folder.resolve("item/part-0.parquet"), new byte[99]);
    assertThatThrownBy(() -> TpcdsData.open(folder))
        .isInstanceOf(IntegrationException.class)
        .hasMessageContaining("[item]");
  }

  @Test
  void aMissingTableIsRefused() throws IOException {
    write("item", 100);
    Files.delete(folder.resolve("item/part-0.parquet"));
    Files.delete(folder.resolve("item"));
    assertThatThrownBy(() -> TpcdsData.open(folder))
        .isInstanceOf(IntegrationException.class)
        .hasMessageContaining("[item]");
  }

  @Test
  void theFolderIsNamedByTheScaleHoweverItIsWritten() {
    assertThat(Scale.parse("1.0").folder()).isEqualTo("sf1");
    assertThat(Scale.parse("10").folder()).isEqualTo("sf10");
    assertThat(Scale.parse("0.10").folder()).isEqualTo("sf0.1");
    assertThatThrownBy(() -> Scale.parse("0")).isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void countsAreKnownExceptForWhatIsDrawnAtOtherScales() {
    assertThat(ExpectedRows.of(Table.ITEM, 1)).hasValue(18_000);
    assertThat(ExpectedRows.of(Table.STORE_SALES, 1)).hasValue(2_880_404);
    assertThat(ExpectedRows.of(Table.STORE_SALES, 0.1)).isEmpty();
  }

  @Test
  void dataOfAnotherGeneratorIsRefused() throws IOException {
    write("item", 100, "another");
    assertThatThrownBy(() -> TpcdsData.open(folder))
        .isInstanceOf(IntegrationException.class)
        .hasMessageContaining("made by another")
        .hasMessageContaining("remove the folder");
  }

  @Test
  void columnsHaveTheNamesOfSparksSchema() {
    assertThat(new TableRows(Table.CUSTOMER).schema().fieldNames())
        .contains("c_last_review_date", "c_customer_sk")
        .doesNotContain("c_last_review_date_sk");
    assertThat(new TableRows(Table.PROMOTION).schema().fieldNames()).contains("p_response_target");
    assertThat(new TableRows(Table.STORE).schema().fieldNames()).contains("s_tax_percentage");
  }

  private void write(String table, int bytes) throws IOException {
    write(table, bytes, TpcdsGenerator.NAME);
  }

  private void write(String table, int bytes, String generator) throws IOException {
    Files.createDirectories(folder.resolve(table));
    Files.write(folder.resolve(table).resolve("part-0.parquet"), new byte[bytes]);
    TreeMap<String, DataManifest.TableFiles> tables = new TreeMap<>();
    tables.put(table, new DataManifest.TableFiles(7, bytes));
    Json.write(folder.resolve(DataManifest.FILE), new DataManifest(generator, "1", tables));
  }
}
