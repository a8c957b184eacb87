// SPDX-License-Identifier: Apache-2.0
package dev.verbena.integration.exchange;

import java.util.List;

/**
 * A shuffle of a query.
 *
 * @param id its number in the application
 * @param name what it does, for a reader
 * @param plan the plan below it, the same text in each application that runs the query
 * @param exempt why what it writes may differ from run to run; empty if it may not
 * @param outputs by map index
 */
public record Shuffle(int id, String name, String plan, String exempt, List<MapOutput> outputs) {}
