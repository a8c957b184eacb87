// SPDX-License-Identifier: Apache-2.0
/** Mapped memory with long offsets, its ordering, and what durable means. */
package dev.verbena.memory;
