# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# spark.sh -- makes each NVDIMM a DAX device of zeros, and adds Spark's tests to the class path, for guest/junit
for region in 0 1; do
  ndctl create-namespace -f -e "namespace$region.0" -m devdax
done
integration=/verbena/integration/target
classpath+=$(printf '%s:' "$integration"/verbena-integration-*.jar "$integration"/spark-home/jars/spark-launcher_*.jar)
export VERBENA_HOME=/verbena
