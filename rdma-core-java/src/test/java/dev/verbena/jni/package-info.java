// SPDX-License-Identifier: Apache-2.0
/** Loading the native library. */
package dev.verbena.jni;
