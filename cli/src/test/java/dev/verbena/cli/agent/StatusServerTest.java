// SPDX-License-Identifier: Apache-2.0
package dev.verbena.cli.agent;

import static org.assertj.core.api.Assertions.assertThat;

import dev.verbena.store.PoolKind;
import dev.verbena.store.PoolUsage;
import dev.verbena.store.StoreUsage;
import dev.verbena.store.agent.AgentStatus;
import dev.verbena.store.agent.ApplicationStatus;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class StatusServerTest {
  private final HttpClient client = HttpClient.newHttpClient();
  private volatile boolean draining;
  private StatusServer server;

  @BeforeEach
  void start() throws IOException {
    server =
        StatusServer.start(
            new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), this::status);
  }

  @AfterEach
  void stop() {
    server.close();
  }

  private AgentStatus status() {
    return new AgentStatus(
        "node<1>",
        draining,
        Duration.ofSeconds(61),
        1 << 30,
        new StoreUsage(
            List.of(new PoolUsage(Path.of("/dev/shm/a/pool-0"), PoolKind.MEMORY, 1000, 400, 3)),
            7,
            300,
            false),
        List.of(new ApplicationStatus("app \"x\" <b>", 2, 5, 1, 7, 400)));
  }

  private HttpResponse<String> ask(String method, String path)
      throws IOException, InterruptedException {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create(server.url() + path))
            .method(method, HttpRequest.BodyPublishers.noBody())
            .timeout(Duration.ofSeconds(30))
            .build();
    return client.send(request, HttpResponse.BodyHandlers.ofString());
  }

  @Test
  void anAgentThatDrainsIsNotHealthy() throws Exception {
    assertThat(ask("GET", "/health").statusCode()).isEqualTo(200);
    draining = true;
    assertThat(ask("GET", "/health").statusCode()).isEqualTo(503);
    assertThat(ask("GET", "/").body()).contains("about to end");
  }

  @Test
  void metricsAreInPrometheusFormat() throws Exception {
    HttpResponse<String> metrics = ask("GET", "/metrics");
    assertThat(metrics.headers().firstValue("Content-Type").orElseThrow())
        .startsWith("text/plain; version=0.0.4");
    assertThat(metrics.body().lines())
        .contains(
            "# TYPE verbena_agent_map_outputs gauge",
            "verbena_agent_map_outputs 7",
            "verbena_agent_draining 0",
            "verbena_agent_uptime_seconds 61",
            "verbena_agent_quota_bytes 1073741824",
            "verbena_agent_pool_used_bytes{pool=\"/dev/shm/a/pool-0\",kind=\"memory\"} 400",
            "verbena_agent_application_used_bytes{application=\"app \\\"x\\\" <b>\"} 400",
            "verbena_agent_application_open_grants{application=\"app \\\"x\\\" <b>\"} 1")
        .allMatch(line -> line.matches("# (HELP|TYPE) verbena_agent_.*|verbena_agent_\\S.* \\d+"));
  }

  @Test
  void thePageShowsPoolsAndApplicationsAndNothingOfThemIsMarkup() throws Exception {
    String page = ask("GET", "/").body();
    assertThat(page)
        .contains("Agent node&lt;1&gt;", "app &quot;x&quot; &lt;b&gt;", "/dev/shm/a/pool-0")
        .contains("a quota of 1.0 GiB each")
        .doesNotContain("<b>", "http://", "https://", "<script");
  }

  @Test
  void nothingElseIsThereAndNothingCanBeChanged() throws Exception {
    assertThat(ask("GET", "/other").statusCode()).isEqualTo(404);
    assertThat(ask("POST", "/").statusCode()).isEqualTo(405);
    assertThat(ask("HEAD", "/health").statusCode()).isEqualTo(200);
  }
}
