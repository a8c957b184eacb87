// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store.agent;

import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;

/** Which users may open an agent's socket. */
public enum SocketAccess {
  /** The agent's own. */
  OWNER("rw-------"),
  /** Those of the socket's group. */
  GROUP("rw-rw----"),
  /** All: a token should keep apart who may attach. */
  ALL("rw-rw-rw-");

  private final String permissions;

  SocketAccess(String permissions) {
    this.permissions = permissions;
  }

  Set<PosixFilePermission> permissions() {
    return PosixFilePermissions.fromString(permissions);
  }
}
