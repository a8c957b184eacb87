# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# conformance.sh -- as suite devdax, for guest/junit: a DAX device is the one kind of memory that soft-RoCE flushes
# shellcheck source=integration/vm/suites/devdax.sh
. /verbena/integration/vm/suites/devdax.sh
