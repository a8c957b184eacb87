// SPDX-License-Identifier: Apache-2.0
package dev.verbena.architecture;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.Source;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** Finds a class that is used by its name, in strings as well as in references. */
final class ClassFileMentions extends ArchCondition<JavaClass> {
  private final List<String> names;

  private ClassFileMentions(List<String> names) {
    super("mention " + String.join(" or ", names));
    this.names = names;
  }

  /** Holds for a class file whose constants contain one of these names. */
  static ClassFileMentions anyOf(String... names) {
    return new ClassFileMentions(List.of(names));
  }

  @Override
  public void check(JavaClass javaClass, ConditionEvents events) {
    String constants = bytesOf(javaClass).replace('/', '.');
    for (String name : names) {
      events.add(
          new SimpleConditionEvent(
              javaClass,
              constants.contains(name),
              javaClass.getName() + " has '" + name + "' in its class file"));
    }
  }

  private static String bytesOf(JavaClass javaClass) {
    Source source =
        javaClass
            .getSource()
            .orElseThrow(
                () -> new IllegalStateException("no class file of " + javaClass.getName()));
    try (InputStream in = source.getUri().toURL().openStream()) {
      return new String(in.readAllBytes(), StandardCharsets.ISO_8859_1);
    } catch (IOException e) {
      throw new UncheckedIOException("reading the class file of " + javaClass.getName(), e);
    }
  }
}
