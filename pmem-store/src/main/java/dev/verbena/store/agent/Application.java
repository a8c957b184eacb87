// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store.agent;

import dev.verbena.rpc.RpcSecret;
import dev.verbena.store.StoreException;
import dev.verbena.store.serve.StoreServer;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;

/** An application that has something in an agent's store, or may write to it. Guarded by itself. */
final class Application {
  private final String id;
  private final boolean orphan;
  private final Set<AgentConnection> holders = new HashSet<>();
  private SecretVerifier verifier;
  private StoreServer server;
  private long lastHeld = System.nanoTime();
  private boolean ended;

  private Application(String id, boolean orphan, SecretVerifier verifier) {
    this.id = id;
    this.orphan = orphan;
    this.verifier = verifier;
  }

  /** One that nobody attached to yet: who is first decides on the secret. */
  static Application fresh(String id) {
    return new Application(id, false, null);
  }

  /** One of before a restart. */
  static Application remembered(String id, SecretVerifier verifier) {
    return new Application(id, false, verifier);
  }

  /** One that has blocks, and of which no secret is remembered: nobody's to attach to. */
  static Application orphan(String id) {
    return new Application(id, true, null);
  }

  String id() {
    return id;
  }

  boolean isFresh() {
    return !orphan && verifier == null;
  }

  boolean hasEnded() {
    return ended;
  }

  /** Ends it for those who attach, and for those who are attached. */
  void end() {
    ended = true;
    holders.forEach(AgentConnection::close);
  }

  void knownBy(SecretVerifier made) {
    verifier = made;
  }

  Optional<StoreServer> server() {
    return Optional.ofNullable(server);
  }

  void servedBy(StoreServer started) {
    server = started;
  }

  /** A process more. */
  void hold(AgentConnection connection) {
    holders.add(connection);
  }

  /** A process less. */
  void letGo(AgentConnection connection) {
    holders.remove(connection);
    lastHeld = System.nanoTime();
  }

  int holders() {
    return holders.size();
  }

  /** Whether a process is attached, or connected to its server: a driver on another node, say. */
  boolean isHeld() {
    boolean held = !holders.isEmpty() || (server != null && server.connections() > 0);
    if (held) {
      lastHeld = System.nanoTime();
    }
    return held;
  }

  /** Nanoseconds since somebody was last seen to hold it. */
  long unheldNanos() {
    return System.nanoTime() - lastHeld;
  }

  /**
   * Checks a secret against that of who came first.
   *
   * @throws StoreException REJECTED
   */
  void requireSecret(RpcSecret secret) {
    if (verifier == null || !verifier.accepts(secret)) {
      throw new StoreException(
          StoreException.Code.REJECTED,
          "application " + id + " is known here by another secret than the one presented");
    }
  }
}
