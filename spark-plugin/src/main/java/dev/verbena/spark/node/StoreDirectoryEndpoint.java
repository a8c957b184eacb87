// SPDX-License-Identifier: Apache-2.0
package dev.verbena.spark.node;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.spark.rpc.RpcCallContext;
import org.apache.spark.rpc.RpcEndpoint;
import org.apache.spark.rpc.RpcEnv;
import scala.PartialFunction;
import scala.runtime.AbstractPartialFunction;
import scala.runtime.BoxedUnit;

/**
 * The driver's directory: which executor's store is served where. It is told of a store by a {@link
 * StoreAddress} on the wire, answered by {@code true}; asked for one by the executor's id, it
 * answers with such an address, or with {@link #UNKNOWN}. Thread-safe.
 */
public final class StoreDirectoryEndpoint implements RpcEndpoint {
  /** The endpoint's name in the driver's RPC environment. */
  public static final String NAME = "VerbenaStoreDirectory";

  /** The answer for an executor whose store is not known. */
  static final Object[] UNKNOWN = {};

  private final RpcEnv environment;
  private final Map<String, StoreAddress> stores = new ConcurrentHashMap<>();

  /** An empty directory. */
  public StoreDirectoryEndpoint(RpcEnv environment) {
    this.environment = environment;
  }

  /** Drops an executor that is gone. */
  public void forget(String executor) {
    stores.remove(executor);
  }

  @Override
  public RpcEnv rpcEnv() {
    return environment;
  }

  @Override
  public PartialFunction<Object, BoxedUnit> receiveAndReply(RpcCallContext caller) {
    return new AbstractPartialFunction<>() {
      @Override
      public boolean isDefinedAt(Object message) {
        return message instanceof String || message instanceof Object[];
      }

      @Override
      public BoxedUnit apply(Object message) {
        caller.reply(answer(message));
        return BoxedUnit.UNIT;
      }
    };
  }

  private Object answer(Object message) {
    if (message instanceof Object[] wire) {
      StoreAddress address = StoreAddress.fromWire(wire);
      stores.put(address.executor(), address);
      return true;
    }
    StoreAddress found = stores.get((String) message);
    return found == null ? UNKNOWN : found.toWire();
  }
}
