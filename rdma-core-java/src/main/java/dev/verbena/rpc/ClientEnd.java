// SPDX-License-Identifier: Apache-2.0
package dev.verbena.rpc;

import java.nio.ByteBuffer;

/** What a client does with what comes in on its link. */
final class ClientEnd implements Link.Owner {
  private final ClientHandshake handshake;
  private final Runnable onFreed;
  private final HandshakeProgress progress = new HandshakeProgress();
  private volatile Agreement agreement;
  private Link link;
  private ClientCalls calls;

  ClientEnd(ClientHandshake handshake, Runnable onFreed) {
    this.handshake = handshake;
    this.onFreed = onFreed;
  }

  /** Sets what could not be made before this; before the link is connected. */
  void attach(Link madeLink, ClientCalls madeCalls) {
    link = madeLink;
    calls = madeCalls;
  }

  ClientHandshake handshake() {
    return handshake;
  }

  HandshakeProgress progress() {
    return progress;
  }

  Agreement agreement() {
    return agreement;
  }

  @Override
  public void handshake(MessageKind kind, MessageStatus status, ByteBuffer payload) {
    try {
      switch (kind) {
        case CHALLENGE -> {
          ByteBuffer proof = handshake.challenge(payload);
          link.sender().sendHandshake(MessageKind.PROOF, MessageStatus.OK, proof);
        }
        case WELCOME -> {
          agreement = handshake.welcome(payload);
          reached(HandshakeProgress.Step.WELCOMED);
        }
        case READY -> {
          if (agreement == null || link.agreement() != null) {
            throw RpcFailures.protocol(link.toString(), "READY out of order");
          }
          link.open(agreement);
          reached(HandshakeProgress.Step.READY);
        }
        case REFUSAL -> {
          String why = Utf8.decode(payload);
          throw new RpcException(
              RpcFailures.ofRefusal(status), false, "the server refuses: " + why, null);
        }
        default -> throw RpcFailures.protocol(link.toString(), "a " + kind + " from a server");
      }
    } catch (RpcException e) {
      link.fail(e);
    }
  }

  @Override
  public void message(ReceivedMessage message) {
    calls.message(message);
  }

  @Override
  public void failed(RpcException cause) {
    calls.failAll(cause);
    reached(HandshakeProgress.Step.FAILED);
  }

  @Override
  public void freed() {
    calls.freed();
    onFreed.run();
  }

  private void reached(HandshakeProgress.Step step) {
    progress.reached(step);
    link.reactor().wake(progress);
  }
}
