# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# conformance.sh -- makes the NVDIMM a DAX device, the one kind of memory that soft-RoCE flushes
ndctl create-namespace -f -e namespace0.0 -m devdax
export VERBENA_DAX_DEVICE=/dev/dax0.0
