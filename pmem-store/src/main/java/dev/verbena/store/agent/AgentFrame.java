// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store.agent;

import java.util.List;

/**
 * A request to an agent, or its reply.
 *
 * @param kind what it means
 * @param fields what goes with it
 */
record AgentFrame(Kind kind, List<String> fields) {
  AgentFrame {
    fields = List.copyOf(fields);
  }

  static AgentFrame of(Kind kind, String... fields) {
    return new AgentFrame(kind, List.of(fields));
  }

  /**
   * A field.
   *
   * @throws AgentProtocolException if there is none of that number
   */
  String field(int index) throws AgentProtocolException {
    if (index >= fields.size()) {
      throw new AgentProtocolException(kind + " has " + fields.size() + " fields");
    }
    return fields.get(index);
  }

  /** Secrets are among the fields. */
  @Override
  public String toString() {
    return kind + " with " + fields.size() + " fields";
  }

  /** Requests have the agent's token, or nothing, as their first field. */
  enum Kind {
    /** The request was done. */
    OK(0),
    /** It was not: a {@link dev.verbena.store.StoreException.Code} and a message. */
    FAILED(1),
    /** Attaches to an application: its id, its secret in hexadecimal digits. */
    ATTACH(2),
    /** Ends the application that this connection is attached to. */
    END(3),
    /** Asks for figures. */
    STAT(4),
    /** Asks for the map outputs: of an application, or of all if that is empty. */
    LIST(5),
    /** Ends applications that nobody holds. */
    COLLECT(6);

    private final int number;

    Kind(int number) {
      this.number = number;
    }

    int number() {
      return number;
    }

    static Kind numbered(int number) throws AgentProtocolException {
      for (Kind kind : values()) {
        if (kind.number == number) {
          return kind;
        }
      }
      throw new AgentProtocolException("kind is " + number);
    }
  }
}
