# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# staging.sh -- makes a file system with DAX on the NVDIMM, for guest/junit
ndctl create-namespace -f -e namespace0.0 -m fsdax
mkfs.ext4 -q -b 4096 /dev/pmem0
mkdir -p /pmem
mount -o dax /dev/pmem0 /pmem
export VERBENA_DAX_DIRECTORY=/pmem
