// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store.agent;

import dev.verbena.rpc.RpcOptions;
import dev.verbena.rpc.RpcSecret;
import dev.verbena.store.MapOutputKey;
import dev.verbena.store.StoreException;
import dev.verbena.store.local.LocalBlockStore;
import dev.verbena.store.serve.StoreServer;
import dev.verbena.verbs.Device;
import dev.verbena.verbs.VerbsException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentSkipListMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The applications of an agent. Each that attached has a server of its own on the agent's device: a
 * protection domain, keys and a secret. Thread-safe.
 */
final class Applications implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Applications.class);

  private final AgentOptions options;
  private final LocalBlockStore store;
  private final Device device;
  private final ApplicationRegister register;
  private final Map<String, Application> applications = new ConcurrentSkipListMap<>();
  private volatile boolean draining;

  /** Takes up those that are remembered, and those that have blocks and are not. */
  Applications(AgentOptions options, LocalBlockStore store, Device device) {
    this.options = options;
    this.store = store;
    this.device = device;
    this.register = new ApplicationRegister(options.state());
    register
        .load()
        .forEach((id, verifier) -> applications.put(id, Application.remembered(id, verifier)));
    for (String id : store.applications()) {
      if (applications.putIfAbsent(id, Application.orphan(id)) == null) {
        LOG.warn(
            "application {} has blocks and nothing in {} tells its secret", id, options.state());
      }
    }
  }

  /**
   * Attaches a process, by its connection, which is to let go.
   *
   * @throws StoreException REJECTED, CLOSED, IO, INVALID_ARGUMENT
   */
  Application attach(String id, byte[] secret, AgentConnection holder) {
    RpcSecret shared = secretOf(id, secret);
    while (true) {
      Application application = applications.computeIfAbsent(id, Application::fresh);
      synchronized (application) {
        if (draining) {
          throw new StoreException(
              StoreException.Code.CLOSED, "agent " + options.name() + " is about to end");
        }
        if (application.hasEnded()) {
          continue; // Whoever ended it has taken it out by now.
        }
        if (application.isFresh()) {
          introduce(application, shared);
        } else {
          application.requireSecret(shared);
        }
        if (application.server().isEmpty()) {
          application.servedBy(serve(id, shared));
        }
        application.hold(holder);
        return application;
      }
    }
  }

  /** Nothing is granted before it can be told from others after a restart. */
  private void introduce(Application application, RpcSecret secret) {
    boolean done = false;
    try {
      SecretVerifier verifier = SecretVerifier.of(secret);
      register.put(application.id(), verifier);
      application.knownBy(verifier);
      done = true;
    } finally {
      if (!done) {
        application.end();
        applications.remove(application.id(), application);
      }
    }
  }

  private static RpcSecret secretOf(String id, byte[] secret) {
    try {
      var unused = new MapOutputKey(id, 0, 0);
      return RpcSecret.of(secret);
    } catch (IllegalArgumentException e) {
      throw new StoreException(
          StoreException.Code.INVALID_ARGUMENT, "application " + id + ": " + e.getMessage(), e);
    }
  }

  private StoreServer serve(String id, RpcSecret secret) {
    try {
      StoreServer server =
          StoreServer.share(
              store,
              options.name(),
              new InetSocketAddress(options.address(), 0),
              device,
              RpcOptions.of(secret),
              options.grants().withApplication(id));
      LOG.info("serving application {} at {}", id, server.endpoint().addresses());
      return server;
    } catch (VerbsException e) {
      throw new StoreException(
          StoreException.Code.IO, "application " + id + " can't be served: " + e.getMessage(), e);
    }
  }

  /** A process that attached is gone; maybe after the application. */
  void letGo(Application application, AgentConnection holder) {
    synchronized (application) {
      application.letGo(holder);
    }
  }

  /**
   * Ends an application: who is attached is let go of, nobody reaches its blocks any more, and
   * their space returns.
   */
  void endNow(Application application) {
    synchronized (application) {
      end(application);
    }
  }

  private void end(Application application) {
    if (application.hasEnded()) {
      return;
    }
    application.end();
    try {
      application.server().ifPresent(StoreServer::close);
      int removed = store.removeApplication(application.id());
      // Last: blocks that nobody's secret opens are worse than a secret without blocks.
      register.remove(application.id());
      LOG.info("application {} is over, {} map outputs removed", application.id(), removed);
    } finally {
      applications.remove(application.id(), application);
    }
  }

  /**
   * Ends those that nobody has held for so long.
   *
   * @return their ids
   */
  List<String> endUnheld(Duration forAtLeast) {
    List<String> over = new ArrayList<>();
    for (Application application : applications.values()) {
      synchronized (application) {
        if (!application.isHeld() && application.unheldNanos() >= forAtLeast.toNanos()) {
          try {
            end(application);
            over.add(application.id());
          } catch (StoreException e) {
            LOG.error("application {} could not be ended whole", application.id(), e);
          }
        }
      }
    }
    return over;
  }

  /** What there is to say of each, by id. */
  List<ApplicationStatus> status() {
    List<ApplicationStatus> all = new ArrayList<>();
    for (Application application : applications.values()) {
      synchronized (application) {
        Optional<StoreServer> server = application.server();
        all.add(
            new ApplicationStatus(
                application.id(),
                application.holders(),
                server.map(StoreServer::connections).orElse(0),
                server.map(each -> each.grants().open()).orElse(0),
                store.mapOutputs(application.id()).size(),
                store.usedBy(application.id())));
      }
    }
    return all;
  }

  /** Refuses what is new; {@link #openGrants} tells what is under way. */
  void drain() {
    draining = true;
    for (Application application : applications.values()) {
      synchronized (application) {
        application.server().ifPresent(server -> server.grants().drain());
      }
    }
  }

  boolean isDraining() {
    return draining;
  }

  int openGrants() {
    return status().stream().mapToInt(ApplicationStatus::openGrants).sum();
  }

  /** Ends the servers; blocks and what is remembered of applications stay. */
  @Override
  public void close() {
    draining = true;
    for (Application application : applications.values()) {
      synchronized (application) {
        application.end();
        application.server().ifPresent(StoreServer::close);
      }
    }
  }
}
