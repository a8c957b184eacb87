// SPDX-License-Identifier: Apache-2.0
package dev.verbena.integration.kill;

import dev.verbena.integration.kill.KillPoint.Event;
import java.util.List;
import java.util.Random;

/**
 * The points of an undisturbed query at which the loss of an executor can hurt: what it has written
 * is read by another.
 *
 * @param maps the map outputs of shuffles that were read across executors, by their numbers
 * @param readers the tasks that read from another executor, by their numbers
 */
public record KillPoints(List<Integer> maps, List<Integer> readers) {
  private static final List<Event> EVENTS = List.of(Event.values());

  /** Of a query that no loss can hurt. */
  public static final KillPoints NONE = new KillPoints(List.of(), List.of());

  /** Whether nothing was read from another executor. */
  public boolean none() {
    return readers.isEmpty();
  }

  /** Any of them; there must be some. */
  public KillPoint draw(Random random) {
    Event event = EVENTS.get(random.nextInt(EVENTS.size()));
    if (event == Event.MAP_WRITTEN && !maps.isEmpty()) {
      return new KillPoint(event, maps.get(random.nextInt(maps.size())));
    }
    Event reader = event == Event.MAP_WRITTEN ? Event.SOURCE_OF_READER : event;
    return new KillPoint(reader, readers.get(random.nextInt(readers.size())));
  }
}
