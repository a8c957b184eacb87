// SPDX-License-Identifier: Apache-2.0
package dev.verbena.verbs.soft;

import dev.verbena.verbs.VerbsException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The faults that a device's options ask for, read from text; docs/faults.md has the items. What is
 * spelled wrongly is an INVALID_ARGUMENT that names it.
 *
 * @param seed of all that is drawn
 * @param held whether nothing happens before {@link PlannedFaults#begin}
 * @param patience null for the usual
 * @param rules in the order given
 * @param link null if links are not modelled
 */
record FaultPlan(
    long seed, boolean held, Duration patience, List<FaultRule> rules, LinkModel.Settings link) {
  /** What runs in the threads of callers, to whom an error of the engine would mean nothing. */
  private static final Set<FaultStep> CAN_NOT_FAIL =
      EnumSet.of(FaultStep.RECEIVE_DEALT, FaultStep.RECEIVE_RECALLED);

  private static final Pattern TIME = Pattern.compile("(\\d{1,9})(us|ms|s)");
  private static final Pattern RANGE = Pattern.compile("(\\d{1,18})(?:-(\\d{1,18}))?");

  /** Reads a plan. */
  static FaultPlan parse(String text) {
    long seed = 1;
    boolean held = false;
    Duration patience = null;
    List<FaultRule> rules = new ArrayList<>();
    LinkModel.Settings link = null;
    for (String item : text.split(";", -1)) {
      Words words = new Words(item.strip());
      if (words.isEmpty()) {
        continue;
      }
      switch (words.peek()) {
        case "seed" -> {
          words.next();
          seed = words.number();
        }
        case "held" -> {
          words.next();
          held = true;
        }
        case "patience" -> {
          words.next();
          patience = words.time();
        }
        case "link" -> {
          words.next();
          link = link(words);
        }
        default -> rules.add(rule(words));
      }
      words.requireEnd();
    }
    return new FaultPlan(seed, held, patience, List.copyOf(rules), link);
  }

  FaultPort port() {
    return new PlannedFaults(this);
  }

  private static FaultRule rule(Words words) {
    FaultRule.Action action = words.constant(FaultRule.Action.class, true);
    Duration delay = action == FaultRule.Action.DELAY ? words.time() : Duration.ZERO;
    FaultStep step = words.constant(FaultStep.class, false);
    if (action.concernsFrames() && step != FaultStep.FRAME_BUILT) {
      throw words.wrong("only " + FaultStep.FRAME_BUILT + " can be lost or doubled, not " + step);
    }
    if (action == FaultRule.Action.FAIL && CAN_NOT_FAIL.contains(step)) {
      throw words.wrong(step + " can't fail");
    }
    long first = 1;
    long last = Long.MAX_VALUE;
    if (!words.isEmpty() && !words.peek().equals("one")) {
      Matcher range = words.match(RANGE, "a number or a range of numbers");
      first = Long.parseLong(range.group(1));
      last = range.group(2) == null ? first : Long.parseLong(range.group(2));
    }
    long oneIn = 1;
    if (!words.isEmpty()) {
      words.keyword("one");
      words.keyword("in");
      oneIn = words.positive();
    }
    return new FaultRule(action, step, first, last, oneIn, delay);
  }

  private static LinkModel.Settings link(Words words) {
    LinkModel.Settings settings = LinkModel.Settings.NONE;
    while (!words.isEmpty()) {
      String name = words.next();
      settings =
          switch (name) {
            case "rate" -> settings.withRate(words.positive());
            case "delay" -> settings.withDelay(words.time());
            case "loss" -> settings.withLossOneIn(words.positive());
            case "outage" -> {
              String[] ends = words.next().split("-", -1);
              if (ends.length != 2) {
                throw words.wrong("expected an outage from-to, for example 10ms-2s");
              }
              yield settings.withOutage(words.time(ends[0]), words.time(ends[1]));
            }
            default ->
                throw words.wrong("expected rate, delay, loss or outage, found \"" + name + "\"");
          };
    }
    return settings;
  }

  /** The words of one item, read from left to right. */
  private static final class Words {
    private final String item;
    private final List<String> words;
    private int at;

    Words(String item) {
      this.item = item;
      this.words = item.isEmpty() ? List.of() : Arrays.asList(item.split("\\s+", -1));
    }

    boolean isEmpty() {
      return at == words.size();
    }

    String peek() {
      return words.get(at);
    }

    String next() {
      if (isEmpty()) {
        throw wrong("something is missing at its end");
      }
      return words.get(at++);
    }

    void keyword(String expected) {
      String word = next();
      if (!word.equals(expected)) {
        throw wrong("expected \"" + expected + "\", found \"" + word + "\"");
      }
    }

    <E extends Enum<E>> E constant(Class<E> type, boolean lowerCase) {
      String word = next();
      List<String> known = new ArrayList<>();
      for (E constant : type.getEnumConstants()) {
        String name = lowerCase ? constant.name().toLowerCase(Locale.ROOT) : constant.name();
        if (name.equals(word)) {
          return constant;
        }
        known.add(name);
      }
      throw wrong("\"" + word + "\" is none of " + known);
    }

    long number() {
      return Long.parseLong(match(RANGE, "a number").group(1));
    }

    long positive() {
      long number = number();
      if (number < 1) {
        throw wrong("expected a positive number, found " + number);
      }
      return number;
    }

    Duration time() {
      return time(next());
    }

    Duration time(String word) {
      Matcher time = TIME.matcher(word);
      if (!time.matches()) {
        throw wrong("expected a time as 20us, 5ms or 2s, found \"" + word + "\"");
      }
      long count = Long.parseLong(time.group(1));
      return switch (time.group(2)) {
        case "us" -> Duration.ofNanos(count * 1000);
        case "ms" -> Duration.ofMillis(count);
        default -> Duration.ofSeconds(count);
      };
    }

    Matcher match(Pattern pattern, String what) {
      String word = next();
      Matcher matcher = pattern.matcher(word);
      if (!matcher.matches()) {
        throw wrong("expected " + what + ", found \"" + word + "\"");
      }
      return matcher;
    }

    void requireEnd() {
      if (!isEmpty()) {
        throw wrong("what does \"" + peek() + "\" mean?");
      }
    }

    VerbsException wrong(String why) {
      return new VerbsException(
          VerbsException.Code.INVALID_ARGUMENT, "fault plan, in \"" + item + "\": " + why);
    }
  }
}
