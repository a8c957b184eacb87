// SPDX-License-Identifier: Apache-2.0
package dev.verbena.verbs;

/**
 * One completion, filled by {@link CompletionQueue#poll}. Mutable and reused, so that polling
 * allocates nothing; owned by the thread that polls. On an unsuccessful status only the request id,
 * the queue pair number, the status and the vendor error mean anything.
 */
public final class WorkCompletion {
  private long requestId;
  private CompletionStatus status = CompletionStatus.GENERAL_ERROR;
  private Opcode opcode = Opcode.SEND;
  private int byteLength;
  private int queuePairNumber;
  private int immediate;
  private boolean hasImmediate;
  private int vendorError;
  private boolean hasInvalidatedKey;
  private int invalidatedKey;

  /** Makes {@code count} empty completions to poll into. */
  public static WorkCompletion[] array(int count) {
    WorkCompletion[] all = new WorkCompletion[count];
    for (int i = 0; i < count; i++) {
      all[i] = new WorkCompletion();
    }
    return all;
  }

  /** Fills this object; for providers. */
  public void set(
      long requestId,
      CompletionStatus status,
      Opcode opcode,
      int byteLength,
      int queuePairNumber,
      boolean hasImmediate,
      int immediate,
      int vendorError) {
    this.requestId = requestId;
    this.status = status;
    this.opcode = opcode;
    this.byteLength = byteLength;
    this.queuePairNumber = queuePairNumber;
    this.hasImmediate = hasImmediate;
    this.immediate = immediate;
    this.vendorError = vendorError;
    this.hasInvalidatedKey = false;
    this.invalidatedKey = 0;
  }

  /** Makes this a copy of another one; for providers. */
  public void set(WorkCompletion other) {
    set(
        other.requestId,
        other.status,
        other.opcode,
        other.byteLength,
        other.queuePairNumber,
        other.hasImmediate,
        other.immediate,
        other.vendorError);
    if (other.hasInvalidatedKey) {
      setInvalidatedKey(other.invalidatedKey);
    }
  }

  /** Adds to this object, after {@link #set}, the key that a SEND invalidated; for providers. */
  public void setInvalidatedKey(int key) {
    hasInvalidatedKey = true;
    invalidatedKey = key;
  }

  /** The id that the request was posted with. */
  public long requestId() {
    return requestId;
  }

  /** How the request ended. */
  public CompletionStatus status() {
    return status;
  }

  /** Whether the status is SUCCESS. */
  public boolean isSuccess() {
    return status == CompletionStatus.SUCCESS;
  }

  /** What was completed. */
  public Opcode opcode() {
    return opcode;
  }

  /** Bytes received or read. */
  public int byteLength() {
    return byteLength;
  }

  /** The local queue pair. */
  public int queuePairNumber() {
    return queuePairNumber;
  }

  /** Whether immediate data came along. */
  public boolean hasImmediate() {
    return hasImmediate;
  }

  /** The immediate data, as the sender gave it. */
  public int immediate() {
    return immediate;
  }

  /** Whether the SEND that was received invalidated a key here: IBV_WC_WITH_INV. */
  public boolean hasInvalidatedKey() {
    return hasInvalidatedKey;
  }

  /** The key that was invalidated. */
  public int invalidatedKey() {
    return invalidatedKey;
  }

  /** A provider's own detail on an error; 0 if none. */
  public int vendorError() {
    return vendorError;
  }

  @Override
  public String toString() {
    return opcode
        + " "
        + status
        + " id="
        + requestId
        + " qp="
        + queuePairNumber
        + " bytes="
        + byteLength
        + (vendorError == 0 ? "" : " vendor=" + vendorError);
  }
}
