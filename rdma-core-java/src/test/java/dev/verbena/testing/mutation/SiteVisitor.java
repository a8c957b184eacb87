// SPDX-License-Identifier: Apache-2.0
package dev.verbena.testing.mutation;

import java.util.List;
import org.objectweb.asm.Label;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.Type;

/** Goes through one method and meets its sites, in the same order when scanning and rewriting. */
public abstract class SiteVisitor extends MethodVisitor {
  /** What is done about a site: it is noted, or mutated. */
  public interface Meeting {
    /** How to mutate the site now; null to leave it as it is. */
    Mutant.How at(Site site, List<Mutant.How> possible);
  }

  /** A kind of sites. */
  public interface Kind {
    /** Visits a method of a class under test. */
    SiteVisitor visitor(MethodVisitor next, Meeting meeting, String className, String method);
  }

  private final Meeting meeting;
  private final String className;
  private final String method;
  private int ordinal;
  private int line;

  protected SiteVisitor(MethodVisitor next, Meeting meeting, String className, String method) {
    super(Opcodes.ASM9, next);
    this.meeting = meeting;
    this.className = className;
    this.method = method;
  }

  /** A site; how to mutate it, or null. */
  protected final Mutant.How meet(String what, Mutant.How... possible) {
    Mutant.How how =
        meeting.at(new Site(className, method, ordinal++, line, what), List.of(possible));
    if (how != null) {
      super.visitMethodInsn(
          Opcodes.INVOKESTATIC, Type.getInternalName(Watch.class), "reach", "()V", false);
    }
    return how;
  }

  protected final String className() {
    return className;
  }

  @Override
  public void visitLineNumber(int number, Label start) {
    line = number;
    super.visitLineNumber(number, start);
  }
}
