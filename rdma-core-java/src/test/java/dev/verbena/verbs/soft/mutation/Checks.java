// SPDX-License-Identifier: Apache-2.0
package dev.verbena.verbs.soft.mutation;

import dev.verbena.testing.mutation.BranchSites;
import dev.verbena.testing.mutation.ClassFiles;
import dev.verbena.testing.mutation.Copy;
import dev.verbena.testing.mutation.MutationTrial;
import dev.verbena.testing.mutation.SiteVisitor;
import dev.verbena.verbs.VerbsProvider;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.objectweb.asm.MethodVisitor;

/** Where bytes of a peer are checked: in every method of these classes but those named. */
final class Checks {
  static final String PACKAGE = "dev.verbena.verbs.soft";

  private static final List<String> SUITES =
      List.of(
          PACKAGE + ".KeyAttacks",
          PACKAGE + ".LayoutAttacks",
          PACKAGE + ".EntryAttacks",
          PACKAGE + ".ErrandAttacks",
          PACKAGE + ".TcpAttacks",
          PACKAGE + ".TruncationAttacks",
          PACKAGE + ".TcpAnswerAttacks",
          PACKAGE + ".LaneAttacks",
          PACKAGE + ".ResponderAttacks",
          PACKAGE + ".KeyOrder",
          PACKAGE + ".QueueOrder",
          PACKAGE + ".NoticeOrder",
          PACKAGE + ".ServiceOrder");

  private static final Set<String> OF_OUR_OWN_REQUESTS =
      Set.of(
          "run",
          "hasMore",
          "sendWhatFits",
          "hasAllThatBegan",
          "isDrained",
          "awaited",
          "start",
          "framePayload",
          "sendFrame",
          "type",
          "flags",
          "gather",
          "failAt",
          "failIfOldest",
          "sendAgain",
          "completeBefore",
          "awaitsPeer");

  private static final Set<String> OF_OUR_OWN_FRAMES =
      Set.of(
          "connect",
          "detach",
          "ready",
          "acknowledge",
          "tellBroken",
          "pump",
          "awaitWritable",
          "resumeAfter",
          "resume",
          "goOn",
          "failed");

  private static final Set<String> NOTICES =
      Set.of("ackSoon", "acknowledge", "flushed", "takeReceive", "deliver");

  /** Simple names, and the methods that no peer's bytes come to. */
  private static final Map<String, Set<String>> CLASSES =
      Map.ofEntries(
          Map.entry("KeyTable", Set.of("drawFree", "drawAgain")),
          Map.entry("RegionAccess", Set.of()),
          Map.entry("QueuePairHazards", Set.of()),
          Map.entry(
              "QueuePairAreaLayout",
              Set.of("of", "powerOfTwo", "writeTo", "askFlush", "flushOrder")),
          Map.entry("ConnectMessage", Set.of("encode", "encodeBody")),
          Map.entry("WakeHello", Set.of()),
          Map.entry("WorkEntry", Set.of()),
          Map.entry("ErrandDesk", Set.of()),
          Map.entry("TcpLink", OF_OUR_OWN_FRAMES),
          Map.entry("TcpTarget", NOTICES),
          Map.entry("TcpTarget$ReadAnswer", Set.of("send")),
          Map.entry("RemoteFlush", Set.of()),
          Map.entry("RemoteQword", Set.of()),
          Map.entry("DealtLane", Set.of()),
          Map.entry("Responder", Set.of()),
          Map.entry("TcpConnection", OF_OUR_OWN_REQUESTS));

  private static final String STEP = "a step of the fault port and nothing else";
  private static final String CACHE = "always looks up what the latest frame found already";
  private static final String CLOSES = "only a queue pair that closes refuses the claim";

  /** Mutants that no attack shows, with the reason. */
  static final Map<String, String> SAME =
      Map.ofEntries(
          Map.entry(
              "ErrandDesk.copy#2 ALWAYS",
              "copying without a range throws, which is answered the same"),
          Map.entry(
              "QueuePairAreaLayout.isDepth#0 NEVER",
              "with a depth below 0 the size is that of no file"),
          Map.entry(
              "RemoteQword.run#5 NEVER", "over shm a poster looks at its own faults once more"),
          Map.entry("TcpConnection.answered#0 ALWAYS", CLOSES),
          Map.entry("TcpConnection.readData#0 ALWAYS", CLOSES),
          Map.entry("TcpConnection.readData#4 NEVER", "the number is checked once more behind"),
          Map.entry("TcpConnection.readData#5 ALWAYS", "an entry that was right when it was sent"),
          Map.entry(
              "TcpConnection.requestNumber#1 ALWAYS",
              "not tried: a peer that refuses a request of which it has a part"),
          Map.entry(
              "TcpLink.receive#4 ALWAYS",
              "takes a million requests: TcpLinkEndTest has the peer that takes no answer"),
          Map.entry("TcpLink.dispatch#3 ALWAYS", CACHE),
          Map.entry("TcpLink.dispatch#4 NEVER", CACHE),
          Map.entry("TcpTarget.fail#0 NEVER", "not tried: a step that throws after the break"),
          Map.entry("TcpTarget.send#8 ALWAYS", STEP),
          Map.entry("TcpTarget.send#8 NEVER", STEP),
          Map.entry(
              "TcpTarget.write#6 ALWAYS",
              "not tried: an acknowledgement in the instant of the break"),
          Map.entry(
              "WakeHello.isWhole#0 ALWAYS",
              "what is shorter than the header is shorter than a hello"),
          Map.entry(
              "WorkEntry.isWritable#3 NEVER", "closes what is not open, and ends all the same"),
          Map.entry("WorkEntry.decode#2 NEVER", "a remote address that is read and not used"));

  private Checks() {}

  static MutationTrial trial() {
    return new MutationTrial("checks of the software NIC", plan(), SUITES);
  }

  private static Copy.Plan plan() {
    return new Copy.Plan(
        ClassFiles.with(VerbsProvider.class),
        PACKAGE,
        (next, meeting, className, method) ->
            isChecked(className, method.substring(0, method.indexOf('(')))
                ? new BranchSites(simulated(next, className, method), meeting, className, method)
                : simulated(next, className, method),
        OrderedSites::ofTests);
  }

  private static SiteVisitor simulated(MethodVisitor next, String className, String method) {
    return OrderedSites.ofTests(next, (site, possible) -> null, className, method);
  }

  private static boolean isChecked(String className, String method) {
    String nested = className.substring(PACKAGE.length() + 1);
    String simple = CLASSES.containsKey(nested) ? nested : nested.replaceAll("\\$.*", "");
    String named = method.replaceAll("lambda\\$(.*)\\$.*", "$1");
    return CLASSES.containsKey(simple) && !CLASSES.get(simple).contains(named);
  }
}
