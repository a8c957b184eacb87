// SPDX-License-Identifier: Apache-2.0
package dev.verbena.rpc;

import dev.verbena.time.Deadline;
import dev.verbena.verbs.ConnectionRequest;
import dev.verbena.verbs.Listener;
import dev.verbena.verbs.VerbsException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The thread that takes connects: lets in who may come in, and says no to the others. */
final class Acceptor implements Runnable {
  /** Decides about a connect. */
  interface Door {
    /** Connects a new client, within the bounds; else says why not. */
    MessageStatus control(ConnectionRequest request, Deadline deadline);

    /** Connects the bulk queue pair of a client; else says why not. */
    MessageStatus bulk(ConnectionRequest request, ConnectData data, Deadline deadline);
  }

  private static final Logger LOG = LoggerFactory.getLogger(Acceptor.class);
  private static final Duration LONGEST_WAIT = Duration.ofSeconds(1);

  private final Listener listener;
  private final Door door;
  private final Duration longestAccept;
  private final Thread thread;
  private volatile boolean running = true;

  private Acceptor(Listener listener, Door door, Duration longestAccept) {
    this.listener = listener;
    this.door = door;
    this.longestAccept = longestAccept;
    this.thread = new Thread(this, "verbena-rpc-accept-" + listener.address().getPort());
    thread.setDaemon(true);
  }

  /**
   * Starts.
   *
   * @param longestAccept how long a peer that was let in may take to connect, while others wait
   */
  static Acceptor start(Listener listener, Door door, Duration longestAccept) {
    Acceptor acceptor = new Acceptor(listener, door, longestAccept);
    acceptor.thread.start();
    return acceptor;
  }

  @Override
  public void run() {
    while (running) {
      try {
        doWork();
      } catch (InterruptedException e) {
        LOG.warn("{} was interrupted; only closing ends it", thread.getName());
      } catch (RuntimeException e) {
        LOG.warn("a connect failed", e);
      }
    }
  }

  private void doWork() throws InterruptedException {
    ConnectionRequest request = listener.nextRequest(Deadline.after(LONGEST_WAIT));
    if (request == null) {
      return;
    }
    ConnectData data = ConnectData.decode(request.privateData());
    Deadline deadline = Deadline.after(longestAccept);
    MessageStatus refusal;
    try {
      if (data == null) {
        refusal = MessageStatus.VERSION;
      } else if (data.purpose() == ConnectData.Purpose.CONTROL) {
        refusal = door.control(request, deadline);
      } else {
        refusal = door.bulk(request, data, deadline);
      }
    } catch (VerbsException | RpcException e) {
      LOG.warn("no resources for a connect from {}", request.remoteAddress(), e);
      refusal = MessageStatus.OVERLOADED;
    }
    if (refusal != null) {
      request.reject(RejectData.encode(refusal));
    }
  }

  /** Stops listening, and the thread. */
  void stop(Deadline deadline) throws InterruptedException {
    running = false;
    listener.close();
    TimeUnit.MILLISECONDS.timedJoin(thread, Math.max(1, deadline.remainingMillis()));
  }
}
