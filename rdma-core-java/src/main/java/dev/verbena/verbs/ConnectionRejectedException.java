// SPDX-License-Identifier: Apache-2.0
package dev.verbena.verbs;

/** The passive side answered a connect with a reject (RDMA_CM_EVENT_REJECTED). */
public final class ConnectionRejectedException extends VerbsException {
  private static final long serialVersionUID = 1L;

  private final byte[] privateData;

  /** Creates the exception; {@code privateData} is what the rejecting side sent along. */
  public ConnectionRejectedException(String message, byte[] privateData) {
    super(Code.REJECTED, message);
    this.privateData = privateData.clone();
  }

  /** The private data of the reject; empty if none. */
  public byte[] privateData() {
    return privateData.clone();
  }
}
