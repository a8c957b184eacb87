// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store;

import java.nio.file.Path;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A path with places for names: {@code /dev/shm/verbena-{app}-{executor}}.
 *
 * @param template the text, with {@code {app}} and {@code {executor}} at will
 */
public record PathTemplate(String template) {
  private static final Pattern PLACE = Pattern.compile("\\{([^}]*)}");
  private static final Pattern UNSAFE = Pattern.compile("[^A-Za-z0-9._-]");

  /** Checks that every place is a known one. */
  public PathTemplate {
    Matcher places = PLACE.matcher(template);
    while (places.find()) {
      if (!places.group(1).equals("app") && !places.group(1).equals("executor")) {
        throw new StoreException(
            StoreException.Code.INVALID_ARGUMENT,
            "path template "
                + template
                + ": unknown "
                + places.group()
                + ", expected {app} or {executor}");
      }
    }
  }

  /** The path for an application and an executor; what can't be in a file name becomes "_". */
  public Path expand(String application, String executor) {
    Map<String, String> names = Map.of("app", safe(application), "executor", safe(executor));
    return Path.of(
        PLACE
            .matcher(template)
            .replaceAll(place -> Matcher.quoteReplacement(names.get(place.group(1)))));
  }

  private static String safe(String name) {
    return UNSAFE.matcher(name).replaceAll("_");
  }
}
