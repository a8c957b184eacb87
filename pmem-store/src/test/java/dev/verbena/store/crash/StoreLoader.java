// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store.crash;

import dev.verbena.testing.CopyingLoader;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.Type;

/**
 * Loads a copy of the store on simulated memory, with at most one site switched off, and the tests'
 * classes that touch it.
 */
final class StoreLoader extends CopyingLoader {
  private static final String STORE = "dev.verbena.store.";
  private static final String SHARED = StoreLoader.class.getPackageName() + ".";
  private static final String SIMULATED = Type.getInternalName(SimulatedMemory.class);

  private final StoreClasses classes = new StoreClasses();
  private final Mutant mutant;
  private boolean mutated;

  /** A copy with {@code mutant}, or, if that is null, as it is. */
  StoreLoader(Mutant mutant) {
    super(StoreLoader.class.getClassLoader());
    this.mutant = mutant;
  }

  /** Whether the class with the mutant was loaded. */
  boolean mutated() {
    return mutated;
  }

  /** The histories and checks, on this copy of the store. */
  CrashSuite suite() {
    return make(CrashSuite.class, "dev.verbena.store.local.StoreCrashes");
  }

  /** The appends over the wire, by this copy of both ends. */
  WireCrashSuite wireSuite() {
    return make(WireCrashSuite.class, "dev.verbena.store.grant.WireCrashes");
  }

  private <T> T make(Class<T> type, String name) {
    try {
      return type.cast(loadClass(name).getConstructor().newInstance());
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException(e);
    }
  }

  @Override
  protected boolean copies(String name) {
    return name.startsWith(STORE) && !name.startsWith(SHARED);
  }

  @Override
  protected byte[] code(String name) throws ClassNotFoundException {
    byte[] plain = classes.bytes(name).orElse(null);
    return plain != null ? instrument(name, plain) : asItIs(name);
  }

  private byte[] instrument(String className, byte[] bytes) {
    ClassReader reader = new ClassReader(bytes);
    ClassWriter writer = new ClassWriter(reader, ClassWriter.COMPUTE_MAXS);
    reader.accept(
        new ClassVisitor(StoreClasses.ASM, writer) {
          @Override
          public MethodVisitor visitMethod(
              int access, String name, String descriptor, String signature, String[] exceptions) {
            return new Rewriter(
                super.visitMethod(access, name, descriptor, signature, exceptions),
                className,
                name + descriptor);
          }
        },
        0);
    return writer.toByteArray();
  }

  private final class Rewriter extends MethodVisitor {
    private final String className;
    private final String method;
    private int ordinal;

    Rewriter(MethodVisitor next, String className, String method) {
      super(StoreClasses.ASM, next);
      this.className = className;
      this.method = method;
    }

    @Override
    public void visitMethodInsn(
        int opcode, String owner, String name, String descriptor, boolean isInterface) {
      String called = name;
      if (Calls.isSite(owner, name) && isMutated(ordinal++)) {
        mutated = true;
        if (mutant.how() == Mutant.How.OFF) {
          leaveOut(opcode, descriptor);
          return;
        }
        called = name.substring(0, name.length() - "Release".length());
      }
      if (Calls.isSimulated(owner, name)) {
        String receiver = opcode == Opcodes.INVOKESTATIC ? "" : "L" + owner + ";";
        super.visitMethodInsn(
            Opcodes.INVOKESTATIC,
            SIMULATED,
            called,
            "(" + receiver + descriptor.substring(1),
            false);
      } else if (owner.equals("org/slf4j/LoggerFactory")) {
        super.visitMethodInsn(Opcodes.INVOKESTATIC, SIMULATED, "logger", descriptor, false);
      } else {
        super.visitMethodInsn(opcode, owner, name, descriptor, isInterface);
        if (owner.equals(Calls.ALLOCATOR)) {
          super.visitMethodInsn(Opcodes.INVOKESTATIC, SIMULATED, "monitor", "()V", false);
        }
      }
    }

    private boolean isMutated(int number) {
      return mutant != null
          && mutant.site().className().equals(className)
          && mutant.site().method().equals(method)
          && mutant.site().ordinal() == number;
    }

    /** Drops receiver and arguments, and leaves a zero for the result. */
    private void leaveOut(int opcode, String descriptor) {
      Type[] arguments = Type.getArgumentTypes(descriptor);
      for (int i = arguments.length - 1; i >= 0; i--) {
        visitInsn(arguments[i].getSize() == 2 ? Opcodes.POP2 : Opcodes.POP);
      }
      if (opcode != Opcodes.INVOKESTATIC) {
        visitInsn(Opcodes.POP);
      }
      switch (Type.getReturnType(descriptor).getSort()) {
        case Type.VOID -> {}
        case Type.LONG -> visitInsn(Opcodes.LCONST_0);
        // Batches are handed back to be added to, which none of the sites does.
        case Type.OBJECT -> visitInsn(Opcodes.ACONST_NULL);
        default -> throw new AssertionError("no zero for the result of " + descriptor);
      }
    }
  }
}
