# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# append.sh -- makes the NVDIMM a DAX device of zeros, for guest/junit
ndctl create-namespace -f -e namespace0.0 -m devdax
export VERBENA_DAX_DEVICE=/dev/dax0.0
