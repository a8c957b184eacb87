// SPDX-License-Identifier: Apache-2.0
/** The native library: who has natives in it asks here whether it is loaded. */
package dev.verbena.jni;
