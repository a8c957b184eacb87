# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# staging.sh -- makes a file system with DAX on the NVDIMM, for guest/junit
/verbena/integration/vm/guest/dax-files
export VERBENA_DAX_DIRECTORY=/pmem
