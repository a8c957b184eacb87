// SPDX-License-Identifier: Apache-2.0
/**
 * The provider of devices that the kernel drives: cards and soft-RoCE, through libibverbs and
 * librdmacm, which {@code libverbena.so} loads if they are there. Each class stands for what its
 * verbs interface names; what C and Java both read is laid out by the {@code *Layout} classes.
 */
package dev.verbena.verbs.rdmacore;
