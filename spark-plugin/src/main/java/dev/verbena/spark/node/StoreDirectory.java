// SPDX-License-Identifier: Apache-2.0
package dev.verbena.spark.node;

import dev.verbena.store.StoreException;
import dev.verbena.store.serve.StoreEndpoint;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.spark.rpc.RpcEndpointRef;
import org.apache.spark.rpc.RpcTimeout;
import scala.concurrent.duration.FiniteDuration;
import scala.reflect.ClassTag;
import scala.reflect.ClassTag$;

/**
 * An executor's view of the driver's directory. What it learnt stays until {@link #forget}.
 * Thread-safe.
 */
public final class StoreDirectory {
  private static final String TIMEOUT_KEY = "spark.shuffle.verbena.timeout.lookup";

  private final RpcEndpointRef driver;
  private final RpcTimeout timeout;
  private final Map<String, StoreEndpoint> known = new ConcurrentHashMap<>();

  /**
   * Creates a view.
   *
   * @param driver the endpoint {@link StoreDirectoryEndpoint#NAME}
   * @param patience how long the driver may take to answer
   */
  public StoreDirectory(RpcEndpointRef driver, Duration patience) {
    this.driver = driver;
    this.timeout =
        new RpcTimeout(new FiniteDuration(patience.toMillis(), TimeUnit.MILLISECONDS), TIMEOUT_KEY);
  }

  /**
   * Tells the driver where this executor's store is; when it returns, others can find it.
   *
   * @throws StoreException if the driver does not answer
   */
  void register(StoreEndpoint endpoint) {
    ask(StoreAddress.of(endpoint).toWire(), Object.class);
  }

  /**
   * Finds an executor's store; asks the driver once.
   *
   * @throws StoreException if the driver does not answer
   */
  public Optional<StoreEndpoint> find(String executor) {
    StoreEndpoint cached = known.get(executor);
    if (cached != null) {
      return Optional.of(cached);
    }
    Object[] found = ask(executor, Object[].class);
    if (found.length == 0) {
      return Optional.empty();
    }
    StoreEndpoint endpoint = StoreAddress.fromWire(found).endpoint();
    known.put(executor, endpoint);
    return Optional.of(endpoint);
  }

  /** Drops what is known of an executor: the next {@link #find} asks again. */
  public void forget(String executor) {
    known.remove(executor);
  }

  private <T> T ask(Object message, Class<T> answer) {
    ClassTag<T> tag = ClassTag$.MODULE$.apply(answer);
    try {
      return driver.askSync(message, timeout, tag);
    } catch (Exception failure) { // Scala declares none of the checked ones it throws
      if (failure instanceof InterruptedException) {
        Thread.currentThread().interrupt();
      }
      boolean late = failure instanceof TimeoutException;
      throw new StoreException(
          late ? StoreException.Code.TIMED_OUT : StoreException.Code.DISCONNECTED,
          "the driver's directory of stores did not answer",
          failure);
    }
  }
}
