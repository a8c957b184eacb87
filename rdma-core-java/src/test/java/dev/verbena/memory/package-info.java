// SPDX-License-Identifier: Apache-2.0
/** Where memory comes from and goes back to. */
package dev.verbena.memory;
