// SPDX-License-Identifier: Apache-2.0
/** Tests that run in the guest of the VM lane, as root, on its two rxe links and its NVDIMM. */
package dev.verbena.integration.vm;
