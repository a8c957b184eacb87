// SPDX-License-Identifier: Apache-2.0
package dev.verbena.verbs.soft.mutation;

import dev.verbena.testing.mutation.Mutant;
import dev.verbena.testing.mutation.SiteVisitor;
import java.util.Set;
import org.objectweb.asm.Handle;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.Type;

/**
 * Fences and ordered accesses. All accesses to words of mapped memory go to {@link
 * SimulatedMemory}; a call that is in none of the sets is an error, so that nothing new goes by
 * untested.
 */
final class OrderedSites extends SiteVisitor {
  private static final String MAPPED = "dev/verbena/memory/MappedMemory";
  private static final String FENCES = "dev/verbena/memory/Fences";
  private static final String SIMULATED = Type.getInternalName(SimulatedMemory.class);

  private static final Set<String> ORDERED = Set.of("getLongAcquire", "putLongRelease");
  private static final Set<String> ATOMIC =
      Set.of("compareAndSetLong", "compareAndExchangeLong", "getAndAddLong");
  private static final Set<String> PLAIN = Set.of("getLong", "getInt", "putLong", "putInt");

  /** Neither a word nor ordered: bulk data, whose order hangs on words, and what is no access. */
  private static final Set<String> OTHER =
      Set.of(
          "get",
          "put",
          "copyTo",
          "zero",
          "slice",
          "force",
          "size",
          "of",
          "isWordAligned",
          "backingFile",
          "isTruncated",
          "close",
          "toString");

  private static final Set<String> ATOMICS =
      Set.of(
          "java/util/concurrent/atomic/AtomicBoolean",
          "java/util/concurrent/atomic/AtomicReference");

  private static final Set<String> WAITS = Set.of("onSpinWait", "yield");

  private final boolean test;

  private OrderedSites(
      MethodVisitor next, Meeting meeting, String className, String method, boolean test) {
    super(next, meeting, className, method);
    this.test = test;
  }

  static SiteVisitor ofCode(MethodVisitor next, Meeting meeting, String className, String method) {
    return new OrderedSites(next, meeting, className, method, false);
  }

  static SiteVisitor ofTests(MethodVisitor next, Meeting meeting, String className, String method) {
    return new OrderedSites(next, meeting, className, method, true);
  }

  @Override
  public void visitMethodInsn(
      int opcode, String owner, String name, String descriptor, boolean isInterface) {
    if (owner.equals(FENCES)) {
      if (meet("full fence", Mutant.How.OFF) == null) {
        super.visitMethodInsn(Opcodes.INVOKESTATIC, SIMULATED, name, descriptor, false);
      }
    } else if (owner.equals("java/lang/Thread") && WAITS.contains(name)) {
      super.visitMethodInsn(Opcodes.INVOKESTATIC, SIMULATED, "pause", descriptor, false);
    } else if (ATOMICS.contains(owner) && !name.equals("<init>")) {
      toSimulated(owner, name, descriptor);
    } else if (!owner.equals(MAPPED) || isOther(name)) {
      super.visitMethodInsn(opcode, owner, name, descriptor, isInterface);
    } else {
      toSimulated(owner, mutated(name), descriptor);
    }
  }

  private void toSimulated(String owner, String name, String descriptor) {
    super.visitMethodInsn(
        Opcodes.INVOKESTATIC, SIMULATED, name, "(L" + owner + ";" + descriptor.substring(1), false);
  }

  private boolean isOther(String name) {
    return OTHER.contains(name) || (test && name.endsWith("Volatile"));
  }

  /** The name of what is called instead. */
  private String mutated(String name) {
    if (PLAIN.contains(name)) {
      return name;
    }
    if (!ORDERED.contains(name) && !ATOMIC.contains(name)) {
      throw new AssertionError(className() + ": say in OrderedSites what " + name + " means");
    }
    if (meet(name, Mutant.How.PLAIN) == null) {
      return name;
    }
    return ATOMIC.contains(name) ? name + "Plain" : name.replaceAll("Acquire|Release", "");
  }

  @Override
  public void visitInvokeDynamicInsn(
      String name, String descriptor, Handle bootstrap, Object... arguments) {
    for (Object argument : arguments) {
      if (argument instanceof Handle handle
          && (handle.getOwner().equals(FENCES)
              || (handle.getOwner().equals(MAPPED) && !isOther(handle.getName())))) {
        throw new AssertionError(className() + ": call " + handle.getName() + " by name");
      }
    }
    super.visitInvokeDynamicInsn(name, descriptor, bootstrap, arguments);
  }
}
