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

/** The driver's directory: which executor's store is served where. Thread-safe. */
public final class StoreDirectoryEndpoint implements RpcEndpoint {
  /** The endpoint's name in the driver's RPC environment. */
  public static final String NAME = "VerbenaStoreDirectory";

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
        return message instanceof DirectoryMessage;
      }

      @Override
      public BoxedUnit apply(Object message) {
        caller.reply(answer((DirectoryMessage) message));
        return BoxedUnit.UNIT;
      }
    };
  }

  private Object answer(DirectoryMessage message) {
    if (message instanceof DirectoryMessage.Register register) {
      stores.put(register.address().executor(), register.address());
      return true;
    }
    return new DirectoryMessage.Found(stores.get(((DirectoryMessage.Find) message).executor()));
  }
}
