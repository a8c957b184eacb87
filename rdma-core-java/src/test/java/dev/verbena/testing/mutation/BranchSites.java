// SPDX-License-Identifier: Apache-2.0
package dev.verbena.testing.mutation;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.objectweb.asm.Label;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.Type;

/**
 * Checks: every conditional branch, to be taken always or never, and every minimum or maximum, to
 * be either argument. Loops call {@link Watch}, since a mutant may not end.
 */
public final class BranchSites extends SiteVisitor {
  private static final List<String> NAMES =
      List.of("== 0", "!= 0", "< 0", ">= 0", "> 0", "<= 0", "==", "!=", "<", ">=", ">", "<=");

  private static final String WATCH = Type.getInternalName(Watch.class);

  private final Set<Label> passed = new HashSet<>();

  public BranchSites(MethodVisitor next, Meeting meeting, String className, String method) {
    super(next, meeting, className, method);
  }

  @Override
  public void visitLabel(Label label) {
    passed.add(label);
    super.visitLabel(label);
  }

  @Override
  public void visitJumpInsn(int opcode, Label label) {
    if (passed.contains(label)) {
      super.visitMethodInsn(Opcodes.INVOKESTATIC, WATCH, "tick", "()V", false);
    }
    if (opcode == Opcodes.GOTO) {
      super.visitJumpInsn(opcode, label);
      return;
    }
    Mutant.How how = meet(name(opcode), Mutant.How.ALWAYS, Mutant.How.NEVER);
    if (how == null) {
      super.visitJumpInsn(opcode, label);
      return;
    }
    visitInsn(comparesTwo(opcode) ? Opcodes.POP2 : Opcodes.POP);
    // Not a GOTO: what follows must stay reachable for the verifier.
    visitInsn(Opcodes.ICONST_0);
    super.visitJumpInsn(how == Mutant.How.ALWAYS ? Opcodes.IFEQ : Opcodes.IFNE, label);
  }

  /** What the jump is taken on, as the compiler has it: often the opposite of the source. */
  private static String name(int opcode) {
    return switch (opcode) {
      case Opcodes.IFNULL, Opcodes.IF_ACMPEQ -> "jump if same";
      case Opcodes.IFNONNULL, Opcodes.IF_ACMPNE -> "jump if not same";
      default -> "jump if " + NAMES.get(opcode - Opcodes.IFEQ);
    };
  }

  private static boolean comparesTwo(int opcode) {
    return opcode >= Opcodes.IF_ICMPEQ && opcode <= Opcodes.IF_ACMPNE;
  }

  @Override
  public void visitMethodInsn(
      int opcode, String owner, String name, String descriptor, boolean isInterface) {
    boolean clamps = owner.equals("java/lang/Math") && (name.equals("min") || name.equals("max"));
    Mutant.How how = clamps ? meet("Math." + name, Mutant.How.FIRST, Mutant.How.SECOND) : null;
    if (how == null) {
      super.visitMethodInsn(opcode, owner, name, descriptor, isInterface);
      return;
    }
    boolean wide = Type.getReturnType(descriptor).getSize() == 2;
    if (how == Mutant.How.SECOND) {
      visitInsn(wide ? Opcodes.DUP2_X2 : Opcodes.SWAP);
      if (wide) {
        visitInsn(Opcodes.POP2);
      }
    }
    visitInsn(wide ? Opcodes.POP2 : Opcodes.POP);
  }
}
