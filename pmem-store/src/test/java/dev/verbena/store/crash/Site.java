// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store.crash;

/**
 * A call that orders, persists or publishes.
 *
 * @param className the calling class, dots between packages
 * @param method the calling method and its descriptor
 * @param ordinal which of the method's sites it is, from 0
 * @param line its line
 * @param callee owner and name of what is called
 */
record Site(String className, String method, int ordinal, int line, String callee) {
  @Override
  public String toString() {
    String simple = className.substring(className.lastIndexOf('.') + 1);
    return simple + "." + method.substring(0, method.indexOf('(')) + ":" + line + " " + callee;
  }
}
