// SPDX-License-Identifier: Apache-2.0
package dev.verbena.testing;

import java.io.FileInputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** The file descriptors that this process has left, to be used up and freed. One thread. */
public final class Descriptors {
  private final List<FileInputStream> held = new ArrayList<>();

  /** None is held yet. */
  public Descriptors() {}

  /** Holds all that are left. */
  public void useUp() {
    while (true) {
      try {
        held.add(new FileInputStream("/dev/null"));
      } catch (IOException e) {
        return; // As it should: none is left.
      }
    }
  }

  /** Frees those that are held. */
  public void free() throws IOException {
    for (FileInputStream one : held) {
      one.close();
    }
    held.clear();
  }
}
