# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# build.sh -- builds the jars when they are missing or older than a source

build_stamp=$VERBENA_HOME/target/launcher.stamp

# integration_classpath -- prints the class path of dev.verbena.integration.Main
integration_classpath() {
  printf '%s:%s\n' "$VERBENA_HOME/integration/target/classes" \
    "$(cat "$VERBENA_HOME/integration/target/classpath.txt")"
}

# is_outdated -- whether a jar is missing or a source is newer than the last build
is_outdated() {
  local entry
  [ -e "$build_stamp" ] && [ -s "$VERBENA_HOME/integration/target/classpath.txt" ] || return 0
  while IFS= read -r -d : entry; do
    [ -e "$entry" ] || return 0
  done <<<"$(integration_classpath):"
  [ -n "$(find "$VERBENA_HOME" -path "$VERBENA_HOME/*/target" -prune -o \
    \( -path "$VERBENA_HOME/*/src/main/*" -o -name pom.xml \) -newer "$build_stamp" -print -quit)" ]
}

# build_if_outdated -- one build at a time; its failure ends the program
build_if_outdated() {
  local started
  mkdir -p -- "$VERBENA_HOME/target"
  exec 9>"$VERBENA_HOME/target/launcher.lock"
  flock 9
  if is_outdated; then
    echo "verbena: building; the first time, this fetches Spark and takes some minutes" >&2
    started=$(mktemp -- "$VERBENA_HOME/target/launcher.XXXXXX")
    if ! (cd -- "$VERBENA_HOME" && ./mvnw -q -Dfast -DskipTests package >&2 9>&-); then
      rm -f -- "$started"
      echo "verbena: the build failed" >&2
      exit 1
    fi
    mv -- "$started" "$build_stamp"
  fi
  exec 9>&-
}
