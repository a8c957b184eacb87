// SPDX-License-Identifier: Apache-2.0
package dev.verbena.cli;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;

/** Prints for programs. */
public final class Json {
  private Json() {}

  /** A record, a map or a list as indented JSON. */
  public static String of(Object value) {
    try {
      return new ObjectMapper()
          .enable(SerializationFeature.INDENT_OUTPUT)
          .writeValueAsString(value);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("can't be written: " + value, e);
    }
  }
}
