// SPDX-License-Identifier: Apache-2.0
package dev.verbena.testing.mutation;

/**
 * An instruction that can be switched off.
 *
 * @param className its class, dots between packages
 * @param method its method and descriptor
 * @param ordinal which of the method's sites it is, from 0
 * @param line its line
 * @param what it does
 */
public record Site(String className, String method, int ordinal, int line, String what) {
  /** Class and method, without package and descriptor. */
  public String place() {
    String simple = className.substring(className.lastIndexOf('.') + 1);
    return simple + "." + method.substring(0, method.indexOf('('));
  }

  @Override
  public String toString() {
    return place() + ":" + line + " " + what;
  }
}
