// SPDX-License-Identifier: Apache-2.0
package dev.verbena.architecture;

import java.io.IOException;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The page of all layouts in memory, on disk and on the wire: the picture and the text of each
 * descriptor class's own Javadoc, and its constants as the compiled class has them.
 */
final class WireFormatsPage {
  private static final String HEAD =
      """
      # Layouts

      What lies in memory that processes share, in pool files, and on the wire. Each layout is one class; this page is
      made of their pictures and constants, and a test holds it against them. Layouts are not a public interface: both
      ends check magic and version, and refuse or fall back.
      """;

  private static final Pattern CLASS_JAVADOC =
      Pattern.compile(
          "^/\\*\\*(.*?)\\*/\\s*(?:@\\w+(?:\\(.*?\\))?\\s*)*(?:public )?(?:final |sealed |abstract )*"
              + "(?:class|record|interface|enum) (\\w+)",
          Pattern.DOTALL | Pattern.MULTILINE);
  private static final Pattern PICTURE = Pattern.compile("<pre>\n(.*?)\\s*</pre>", Pattern.DOTALL);
  private static final Pattern LINK = Pattern.compile("\\{@(?:link|code) +#?([^}]*)}");
  private static final long SHOWN_IN_HEX = 0x1_0000;

  /** What the picture of a layout must name: where something lies or how large it is. */
  private static final Pattern TELLING =
      Pattern.compile(
          ".*(OFFSET|_AT|SIZE|LENGTH|BYTES|MAGIC|VERSION|STRIDE|TABLE|MASK|SHIFT|MAX).*");

  private WireFormatsPage() {}

  /** The page for the classes in these source folders. */
  static String markdown(List<Path> sources) throws IOException {
    StringBuilder page = new StringBuilder(HEAD);
    String section = "";
    for (Layout layout : layouts(sources)) {
      if (!layout.packageName().equals(section)) {
        section = layout.packageName();
        page.append("\n## ").append(section).append('\n');
      }
      page.append("\n### ").append(layout.name()).append("\n\n").append(layout.before());
      page.append("\n```\n").append(layout.picture()).append("\n```\n");
      if (!layout.after().isBlank()) {
        page.append("\n").append(layout.after());
      }
      List<String> constants = layout.constants();
      if (!constants.isEmpty()) {
        page.append("\n").append(String.join(", ", constants)).append("\n");
      }
    }
    return page.toString();
  }

  /** All classes whose Javadoc has a picture, by package and name. */
  static List<Layout> layouts(List<Path> sources) throws IOException {
    List<Layout> layouts = new ArrayList<>();
    for (Path folder : sources) {
      try (Stream<Path> files = Files.walk(folder)) {
        for (Path file : files.filter(f -> f.toString().endsWith(".java")).sorted().toList()) {
          layout(folder, file).ifPresent(layouts::add);
        }
      }
    }
    return layouts;
  }

  private static Optional<Layout> layout(Path folder, Path file) throws IOException {
    Matcher javadoc = CLASS_JAVADOC.matcher(Files.readString(file));
    if (!javadoc.find()) {
      return Optional.empty();
    }
    String text = javadoc.group(1).replaceAll("(?m)^ \\* ?", "");
    Matcher picture = PICTURE.matcher(text);
    // A picture without a number is that of states.
    if (!picture.find() || picture.group(1).chars().noneMatch(Character::isDigit)) {
      return Optional.empty();
    }
    String packageName =
        folder
            .relativize(file.getParent())
            .toString()
            .replace(file.getFileSystem().getSeparator(), ".");
    return Optional.of(
        new Layout(
            packageName,
            javadoc.group(2),
            prose(text.substring(0, picture.start())),
            plain(picture.group(1).stripIndent()),
            prose(text.substring(picture.end()))));
  }

  private static String prose(String text) {
    StringBuilder lines = new StringBuilder();
    for (String line : plain(text).replace("<p>", "").strip().split("\n", -1)) {
      if (line.startsWith("@")) {
        break;
      }
      lines.append(line.stripTrailing()).append('\n');
    }
    return lines.toString().replaceAll("\n{2,}", "\n\n").stripTrailing() + "\n";
  }

  private static String plain(String text) {
    return LINK.matcher(text)
        .replaceAll("$1")
        .replace("&lt;", "<")
        .replace("&gt;", ">")
        .replace("&amp;", "&");
  }

  /** One class. */
  record Layout(String packageName, String name, String before, String picture, String after) {
    /** Name and value of the constants that say where something lies, or how large it is. */
    List<String> constants() {
      List<String> shown = new ArrayList<>();
      for (Field field : type().getDeclaredFields()) {
        if (Modifier.isStatic(field.getModifiers())
            && field.getType().isPrimitive()
            && TELLING.matcher(field.getName()).matches()) {
          shown.add("`%s` %s".formatted(field.getName(), value(field)));
        }
      }
      return shown;
    }

    private Class<?> type() {
      try {
        return Class.forName(packageName + "." + name);
      } catch (ClassNotFoundException e) {
        throw new IllegalStateException("sources and classes differ: " + name, e);
      }
    }

    private static String value(Field field) {
      try {
        field.setAccessible(true);
        long value = ((Number) field.get(null)).longValue();
        return field.getName().endsWith("MAGIC") || value >= SHOWN_IN_HEX
            ? "0x" + Long.toHexString(value)
            : Long.toString(value);
      } catch (IllegalAccessException e) {
        throw new IllegalStateException("cannot read " + field, e);
      }
    }
  }
}
