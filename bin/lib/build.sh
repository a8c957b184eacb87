# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# build.sh -- builds the jars when they are missing or older than a source

# build_arguments MODULE -- what Maven needs to be told to build a module and all that it runs with
build_arguments() {
  case $1 in
    # Its runs use the plug-in's jar, which is not on its class path.
    integration) ;;
    *) printf '%s\n' -pl "$1" -am ;;
  esac
}

# build_stamp MODULE -- prints the file that is as old as the last build
build_stamp() {
  printf '%s\n' "$VERBENA_HOME/target/launcher-$1.stamp"
}

# module_classpath MODULE -- prints the class path of the module's Main
module_classpath() {
  printf '%s:%s\n' "$VERBENA_HOME/$1/target/classes" "$(cat "$VERBENA_HOME/$1/target/classpath.txt")"
}

# is_outdated MODULE -- whether a jar is missing or a source is newer than the last build
is_outdated() {
  local entry stamp
  stamp=$(build_stamp "$1")
  [ -e "$stamp" ] && [ -s "$VERBENA_HOME/$1/target/classpath.txt" ] || return 0
  while IFS= read -r -d : entry; do
    [ -e "$entry" ] || return 0
  done <<<"$(module_classpath "$1"):"
  [ -n "$(find "$VERBENA_HOME" -path "$VERBENA_HOME/*/target" -prune -o \
    \( -path "$VERBENA_HOME/*/src/main/*" -o -name pom.xml \) -newer "$stamp" -print -quit)" ]
}

# build_progress -- of what Maven prints, shows which module it is at and what is wrong
build_progress() {
  sed -u -n -e 's/^\[INFO\] Building \(Verbena.*\)/verbena: \1/p' -e '/^\[ERROR\]/p'
}

# build_if_outdated MODULE -- one build at a time; its failure ends the program
build_if_outdated() {
  local started arguments
  mkdir -p -- "$VERBENA_HOME/target"
  exec 9>"$VERBENA_HOME/target/launcher.lock"
  if ! flock -n 9; then
    echo "verbena: waiting for another build of this checkout" >&2
    flock 9
  fi
  if is_outdated "$1"; then
    echo "verbena: building; the first time, this fetches dependencies and takes some minutes" >&2
    mapfile -t arguments < <(build_arguments "$1")
    started=$(mktemp -- "$VERBENA_HOME/target/launcher.XXXXXX")
    if ! (cd -- "$VERBENA_HOME" &&
      ./mvnw -B -ntp -Dfast -DskipTests "${arguments[@]}" package 9>&- | build_progress >&2); then
      rm -f -- "$started"
      echo "verbena: the build failed" >&2
      exit 1
    fi
    [ "$1" != integration ] || cp -p -- "$started" "$(build_stamp cli)"
    mv -- "$started" "$(build_stamp "$1")"
  fi
  exec 9>&-
}
