// SPDX-License-Identifier: Apache-2.0
package dev.verbena.cli.agent;

import dev.verbena.cli.Bytes;
import dev.verbena.store.PoolUsage;
import dev.verbena.store.StoreOptions;
import dev.verbena.store.agent.AgentStatus;
import dev.verbena.store.agent.ApplicationStatus;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** An agent's figures as a page that needs nothing but itself. */
final class StatusPage {
  private static final String HEAD =
      """
      <!DOCTYPE html>
      <html lang="en">
      <head>
      <meta charset="utf-8">
      <meta http-equiv="refresh" content="10">
      <meta name="viewport" content="width=device-width">
      <title>%1$s: Verbena agent</title>
      <style>
      body { font: 15px/1.4 system-ui, sans-serif; margin: 2rem auto; max-width: 60rem; padding: 0 1rem; color: #222 }
      h1 { font-size: 1.4rem } h2 { font-size: 1.1rem; margin-top: 2rem }
      table { border-collapse: collapse; width: 100%% }
      th, td { border-bottom: 1px solid #ddd; padding: .35rem .6rem; text-align: right }
      th:first-child, td:first-child { text-align: left; overflow-wrap: anywhere }
      .draining { color: #a40 }
      </style>
      </head>
      <body>
      <h1>Agent %1$s</h1>
      """;

  private StatusPage() {}

  static String of(AgentStatus status) {
    StringBuilder page = new StringBuilder(HEAD.formatted(escaped(status.name())));
    if (status.draining()) {
      page.append("<p class=\"draining\">It is about to end and refuses what is new.</p>\n");
    }
    String quota =
        status.quota() == StoreOptions.NO_QUOTA
            ? "no quota"
            : "a quota of " + new Bytes(status.quota()) + " each";
    page.append(
        "<p>Up %d s, %d map outputs with %s of blocks, %s.</p>\n"
            .formatted(
                status.uptime().toSeconds(),
                status.usage().mapOutputs(),
                new Bytes(status.usage().blockBytes()),
                quota));
    page.append("<h2>Pools</h2>\n");
    page.append(table(List.of("path", "kind", "size", "used", "extents"), pools(status)));
    page.append("<h2>Applications</h2>\n");
    page.append(
        table(
            List.of("id", "used", "map outputs", "attached", "connections", "being written"),
            applications(status)));
    return page.append("</body>\n</html>\n").toString();
  }

  private static List<List<String>> pools(AgentStatus status) {
    List<List<String>> rows = new ArrayList<>();
    for (PoolUsage pool : status.usage().pools()) {
      rows.add(
          List.of(
              pool.path().toString(),
              pool.kind().name().toLowerCase(Locale.ROOT),
              new Bytes(pool.size()).toString(),
              new Bytes(pool.used()).toString(),
              String.valueOf(pool.extents())));
    }
    return rows;
  }

  private static List<List<String>> applications(AgentStatus status) {
    List<List<String>> rows = new ArrayList<>();
    for (ApplicationStatus each : status.applications()) {
      rows.add(
          List.of(
              each.id(),
              new Bytes(each.usedBytes()).toString(),
              String.valueOf(each.mapOutputs()),
              String.valueOf(each.holders()),
              String.valueOf(each.connections()),
              String.valueOf(each.openGrants())));
    }
    return rows;
  }

  private static String table(List<String> names, List<List<String>> rows) {
    StringBuilder table = new StringBuilder("<table>\n");
    appendRow(table, "th", names);
    rows.forEach(row -> appendRow(table, "td", row));
    return table.append("</table>\n").toString();
  }

  private static void appendRow(StringBuilder table, String cell, List<String> texts) {
    table.append("<tr>");
    for (String text : texts) {
      table.append('<').append(cell).append('>').append(escaped(text));
      table.append("</").append(cell).append('>');
    }
    table.append("</tr>\n");
  }

  private static String escaped(String text) {
    return text.replace("&", "&amp;")
        .replace("<", "&lt;")
        .replace(">", "&gt;")
        .replace("\"", "&quot;");
  }
}
