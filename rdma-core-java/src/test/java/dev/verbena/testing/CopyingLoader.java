// SPDX-License-Identifier: Apache-2.0
package dev.verbena.testing;

import java.io.IOException;
import java.io.InputStream;

/** Defines some classes anew, rewritten, and leaves all others to its parent. Thread-safe. */
public abstract class CopyingLoader extends ClassLoader {
  protected CopyingLoader(ClassLoader parent) {
    super(parent);
  }

  /** Whether the class is defined here. */
  protected abstract boolean copies(String name);

  /**
   * The class file to define it by.
   *
   * @throws ClassNotFoundException if there is no such class
   */
  protected abstract byte[] code(String name) throws ClassNotFoundException;

  /**
   * The class file as the parent has it.
   *
   * @throws ClassNotFoundException if it has none
   */
  protected final byte[] asItIs(String name) throws ClassNotFoundException {
    try (InputStream in = getParent().getResourceAsStream(name.replace('.', '/') + ".class")) {
      if (in == null) {
        throw new ClassNotFoundException(name);
      }
      return in.readAllBytes();
    } catch (IOException e) {
      throw new ClassNotFoundException(name, e);
    }
  }

  @Override
  protected final Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
    if (!copies(name)) {
      return super.loadClass(name, resolve);
    }
    synchronized (getClassLoadingLock(name)) {
      Class<?> loaded = findLoadedClass(name);
      if (loaded != null) {
        return loaded;
      }
      byte[] code = code(name);
      return defineClass(name, code, 0, code.length);
    }
  }
}
