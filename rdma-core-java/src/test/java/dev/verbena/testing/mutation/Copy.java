// SPDX-License-Identifier: Apache-2.0
package dev.verbena.testing.mutation;

import dev.verbena.testing.CopyingLoader;
import java.util.ArrayList;
import java.util.List;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.Type;

/** A copy of one package and of its tests, with at most one site switched off. */
public final class Copy extends CopyingLoader {
  /**
   * What is copied.
   *
   * @param classes where the code under test is
   * @param packageName of which package; those below it are shared by all copies
   * @param sites what can be switched off in the code
   * @param tests how the package's tests are rewritten
   */
  public record Plan(
      ClassFiles classes, String packageName, SiteVisitor.Kind sites, SiteVisitor.Kind tests) {
    /** Every mutant of every site, in the order of classes and lines. */
    public List<Mutant> mutants() {
      List<Mutant> mutants = new ArrayList<>();
      SiteVisitor.Meeting note =
          (site, possible) -> {
            possible.forEach(how -> mutants.add(new Mutant(site, how)));
            return null;
          };
      for (String name : classes.namesIn(packageName)) {
        rewrite(name, classes.bytes(name).orElseThrow(), sites, note, false);
      }
      return mutants;
    }

    private static byte[] rewrite(
        String className,
        byte[] bytes,
        SiteVisitor.Kind kind,
        SiteVisitor.Meeting meeting,
        boolean traced) {
      ClassReader reader = new ClassReader(bytes);
      ClassWriter writer = new ClassWriter(reader, ClassWriter.COMPUTE_MAXS);
      reader.accept(
          new ClassVisitor(Opcodes.ASM9, writer) {
            @Override
            public MethodVisitor visitMethod(
                int access, String name, String descriptor, String signature, String[] exceptions) {
              MethodVisitor next =
                  super.visitMethod(access, name, descriptor, signature, exceptions);
              String method = name + descriptor;
              return kind.visitor(
                  traced ? trace(next, className + method) : next, meeting, className, method);
            }
          },
          0);
      return writer.toByteArray();
    }

    private static MethodVisitor trace(MethodVisitor next, String method) {
      return new MethodVisitor(Opcodes.ASM9, next) {
        @Override
        public void visitCode() {
          super.visitCode();
          super.visitLdcInsn(method);
          super.visitMethodInsn(
              Opcodes.INVOKESTATIC,
              Type.getInternalName(Watch.class),
              "enter",
              "(Ljava/lang/String;)V",
              false);
        }
      };
    }
  }

  private final Plan plan;
  private final Mutant mutant;

  /** A copy with {@code mutant}, or, if that is null, as it is, telling {@link Watch} its way. */
  Copy(Plan plan, Mutant mutant) {
    super(Copy.class.getClassLoader());
    this.plan = plan;
    this.mutant = mutant;
  }

  /** A new object of one of the copied classes, as what all copies share. */
  <T> T create(Class<T> shared, String className) {
    try {
      return shared.cast(loadClass(className).getConstructor().newInstance());
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException(className, e);
    }
  }

  @Override
  protected boolean copies(String name) {
    int end = name.lastIndexOf('.');
    return end >= 0 && name.substring(0, end).equals(plan.packageName());
  }

  @Override
  protected byte[] code(String name) throws ClassNotFoundException {
    byte[] code = plan.classes().bytes(name).orElse(null);
    return code != null
        ? Plan.rewrite(name, code, plan.sites(), this::meet, mutant == null)
        : Plan.rewrite(name, asItIs(name), plan.tests(), (site, possible) -> null, false);
  }

  private Mutant.How meet(Site site, List<Mutant.How> possible) {
    return mutant != null && mutant.site().equals(site) ? mutant.how() : null;
  }
}
