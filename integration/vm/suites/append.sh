# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# append.sh -- as suite devdax, for guest/junit: the pool that is appended to lies on a DAX device
# shellcheck source=integration/vm/suites/devdax.sh
. /verbena/integration/vm/suites/devdax.sh
