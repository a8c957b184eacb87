// SPDX-License-Identifier: Apache-2.0
/** Tests of provider rdmacore that need no device. */
package dev.verbena.verbs.rdmacore;
