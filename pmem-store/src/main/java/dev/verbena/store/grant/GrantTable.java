// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store.grant;

import dev.verbena.store.StoreException;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;

/** The grants that stand. Whoever takes one out is the one to end it. Thread-safe. */
final class GrantTable {
  private final Map<Long, Grant> grants = new LinkedHashMap<>();
  private long lastId;

  synchronized long newId() {
    return ++lastId;
  }

  synchronized void put(Grant grant) {
    grants.put(grant.id(), grant);
  }

  synchronized boolean remove(Grant grant) {
    return grants.remove(grant.id(), grant);
  }

  synchronized int size() {
    return grants.size();
  }

  /** Takes out every grant that is so. */
  synchronized List<Grant> removeIf(Predicate<Grant> condition) {
    List<Grant> removed = new ArrayList<>();
    for (Iterator<Grant> each = grants.values().iterator(); each.hasNext(); ) {
      Grant grant = each.next();
      if (condition.test(grant)) {
        removed.add(grant);
        each.remove();
      }
    }
    return removed;
  }

  synchronized List<Grant> ofConnection(long connection) {
    return grants.values().stream().filter(each -> each.connection() == connection).toList();
  }

  /**
   * A grant that stands.
   *
   * @throws StoreException NOT_GRANTED unless it was made on that connection
   */
  synchronized Grant get(long id, long connection) {
    Grant grant = grants.get(id);
    if (grant == null || grant.connection() != connection) {
      throw new StoreException(
          StoreException.Code.NOT_GRANTED, "grant " + id + " is not of this connection, or over");
    }
    return grant;
  }

  /** Takes out all of a list, or none: see {@link #get}. */
  synchronized List<Grant> removeAll(long[] ids, long connection) {
    List<Grant> taken = new ArrayList<>(ids.length);
    for (long id : ids) {
      Grant grant = get(id, connection);
      if (taken.contains(grant)) {
        throw new StoreException(
            StoreException.Code.INVALID_ARGUMENT, "grant " + id + " is named twice");
      }
      taken.add(grant);
    }
    taken.forEach(grant -> grants.remove(grant.id()));
    return taken;
  }
}
