# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# java.sh -- finds a JDK to build and run with

oldest_java=17

# java_version HOME -- prints the feature version of the JDK in that folder, nothing if there is none
java_version() {
  [ -x "$1/bin/java" ] && [ -x "$1/bin/javac" ] || return 0
  "$1/bin/java" -version 2>&1 | sed -n 's/^[^"]* version "\([0-9]*\).*/\1/p' | head -n 1
}

# find_java -- exports JAVA_HOME; ends with a message if there is no JDK of that age
find_java() {
  local home version path_java
  if [ -n "${JAVA_HOME-}" ]; then
    version=$(java_version "$JAVA_HOME")
    if [ "${version:-0}" -ge "$oldest_java" ]; then
      export JAVA_HOME
      return
    fi
    echo "verbena: JAVA_HOME=$JAVA_HOME is no JDK $oldest_java or later; looking elsewhere" >&2
  fi
  path_java=$(command -v java || true)
  for home in "${path_java:+$(dirname -- "$(dirname -- "$(readlink -f -- "${path_java:-/}")")")}" \
      /usr/lib/jvm/*; do
    [ -n "$home" ] || continue
    version=$(java_version "$home")
    if [ "${version:-0}" -ge "$oldest_java" ]; then
      JAVA_HOME=$home
      export JAVA_HOME
      return
    fi
  done
  echo "verbena: no JDK $oldest_java or later found; install one (Debian: openjdk-17-jdk-headless) or set JAVA_HOME" >&2
  exit 1
}

# newer_java VERSION -- prints the home of a JDK of that version or later, VERBENA_NEWER_JAVA_HOME if
# that is one; ends with 77, the skip code of a lane, if there is none
newer_java() {
  local home version
  for home in "${VERBENA_NEWER_JAVA_HOME-}" /usr/lib/jvm/*; do
    [ -n "$home" ] || continue
    version=$(java_version "$home")
    if [ "${version:-0}" -ge "$1" ]; then
      printf '%s\n' "$home"
      return
    fi
  done
  echo "verbena: no JDK $1 or later in /usr/lib/jvm; install one or set VERBENA_NEWER_JAVA_HOME" >&2
  return 77
}
