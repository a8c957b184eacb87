// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store.crash;

import dev.verbena.store.BlockStore;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.Handle;
import org.objectweb.asm.Label;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/** The store's compiled classes, and the sites in them. */
final class StoreClasses {
  static final int ASM = Opcodes.ASM9;

  private final Path root;

  StoreClasses() {
    try {
      root = Path.of(BlockStore.class.getProtectionDomain().getCodeSource().getLocation().toURI());
    } catch (URISyntaxException e) {
      throw new IllegalStateException(e);
    }
  }

  /** The bytes of one of the store's own classes; empty for any other, its tests' too. */
  Optional<byte[]> bytes(String className) {
    Path file = root.resolve(className.replace('.', '/') + ".class");
    return Files.exists(file) ? Optional.of(read(file)) : Optional.empty();
  }

  /** One mutant or more for each site of the store's own, in the order of classes and lines. */
  List<Mutant> mutants() {
    return mutants(false);
  }

  /** The same of what writers elsewhere do. */
  List<Mutant> wireMutants() {
    return mutants(true);
  }

  private List<Mutant> mutants(boolean wire) {
    List<Mutant> mutants = new ArrayList<>();
    try (Stream<Path> found = Files.walk(root)) {
      found
          .filter(path -> path.toString().endsWith(".class"))
          .sorted()
          .forEach(path -> scan(read(path), wire, mutants));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return mutants;
  }

  /** Adds the mutants of a class. */
  static void scan(byte[] bytes, boolean wire, List<Mutant> mutants) {
    ClassReader reader = new ClassReader(bytes);
    String className = reader.getClassName().replace('/', '.');
    reader.accept(
        new ClassVisitor(ASM) {
          @Override
          public MethodVisitor visitMethod(
              int access, String name, String descriptor, String signature, String[] exceptions) {
            return new SiteFinder(className, name + descriptor, wire, mutants);
          }
        },
        ClassReader.SKIP_FRAMES);
  }

  private static byte[] read(Path file) {
    try {
      return Files.readAllBytes(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static final class SiteFinder extends MethodVisitor {
    private final String className;
    private final String method;
    private final boolean wire;
    private final List<Mutant> mutants;
    private int ordinal;
    private int line;

    SiteFinder(String className, String method, boolean wire, List<Mutant> mutants) {
      super(ASM);
      this.className = className;
      this.method = method;
      this.wire = wire;
      this.mutants = mutants;
    }

    @Override
    public void visitLineNumber(int number, Label start) {
      line = number;
    }

    @Override
    public void visitMethodInsn(
        int opcode, String owner, String name, String descriptor, boolean isInterface) {
      String callee = owner.substring(owner.lastIndexOf('/') + 1) + "." + name;
      Site site = new Site(className, method, ordinal, line, callee);
      if (Calls.isUnknown(className, owner, name)) {
        throw new AssertionError(
            site + ": say in Calls what it does, and simulate it if it stores or orders");
      }
      if (Calls.isSite(owner, name)) {
        ordinal++;
        if (Calls.isWireSite(owner, name) == wire) {
          Calls.mutantsOf(owner, name).forEach(how -> mutants.add(new Mutant(site, how)));
        }
      }
    }

    @Override
    public void visitInvokeDynamicInsn(
        String name, String descriptor, Handle bootstrap, Object... arguments) {
      for (Object argument : arguments) {
        if (argument instanceof Handle handle
            && (Calls.isUnknown(className, handle.getOwner(), handle.getName())
                || Calls.isSimulated(handle.getOwner(), handle.getName())
                || Calls.isSite(handle.getOwner(), handle.getName()))) {
          throw new AssertionError(
              className + ":" + line + ": call " + handle.getName() + " in a lambda, not by name");
        }
      }
    }
  }
}
