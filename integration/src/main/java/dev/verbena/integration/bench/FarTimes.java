// SPDX-License-Identifier: Apache-2.0
package dev.verbena.integration.bench;

/**
 * What the far end of {@code bench persist} spent so far, in nanoseconds.
 *
 * @param persist in msync, whoever had it done
 * @param append in conventional appends, msync included
 * @param reply in posting their answers
 */
record FarTimes(long persist, long append, long reply) {
  static FarTimes of(FarJvm far) {
    String[] words = far.ask(FarMain.TIMES + " " + PersistBench.STORE).split(" ", -1);
    return new FarTimes(
        Long.parseLong(words[0]), Long.parseLong(words[1]), Long.parseLong(words[2]));
  }

  FarTimes minus(FarTimes earlier) {
    return new FarTimes(persist - earlier.persist, append - earlier.append, reply - earlier.reply);
  }

  @Override
  public String toString() {
    return persist + " " + append + " " + reply;
  }
}
