// SPDX-License-Identifier: Apache-2.0
package dev.verbena.cli;

import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/**
 * A size in bytes, written as people do: {@code 64m}, {@code 2g}, {@code 65536}. Units are powers
 * of 1024, as in Spark's keys.
 *
 * @param count bytes, at least 0
 */
public record Bytes(long count) {
  private static final Pattern SYNTAX = Pattern.compile("(\\d{1,15})([kmgt]?)b?");
  private static final String UNITS = "kmgt";
  private static final int UNIT_SHIFT = 10;

  /**
   * Reads one.
   *
   * @throws IllegalArgumentException if it is none
   */
  public static Bytes parse(String text) {
    Matcher matcher = SYNTAX.matcher(text.toLowerCase(Locale.ROOT));
    if (!matcher.matches()) {
      throw new IllegalArgumentException("'" + text + "' is no size, expected 64m or 2g, say");
    }
    int shift = UNIT_SHIFT * (matcher.group(2).isEmpty() ? 0 : UNITS.indexOf(matcher.group(2)) + 1);
    long number = Long.parseLong(matcher.group(1));
    if (number > Long.MAX_VALUE >> shift) {
      throw new IllegalArgumentException("'" + text + "' is too large");
    }
    return new Bytes(number << shift);
  }

  /** With the largest unit that leaves a number above 1, one decimal. */
  @Override
  public String toString() {
    double shown = count;
    int unit = -1;
    while (shown >= 1 << UNIT_SHIFT && unit < UNITS.length() - 1) {
      shown /= 1 << UNIT_SHIFT;
      unit++;
    }
    return unit < 0
        ? count + " B"
        : String.format(Locale.ROOT, "%.1f %siB", shown, Character.toUpperCase(UNITS.charAt(unit)));
  }

  /** For options. */
  public static final class Converter implements ITypeConverter<Bytes> {
    /** For picocli. */
    public Converter() {}

    @Override
    public Bytes convert(String value) {
      try {
        return parse(value);
      } catch (IllegalArgumentException e) {
        throw new TypeConversionException(e.getMessage());
      }
    }
  }
}
