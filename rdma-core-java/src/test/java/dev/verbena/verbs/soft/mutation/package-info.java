// SPDX-License-Identifier: Apache-2.0
/** The software NIC with its checks and fences switched off one by one. */
package dev.verbena.verbs.soft.mutation;
