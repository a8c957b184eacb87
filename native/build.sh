#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Builds libverbena.so into a folder of classes, if this machine can, and says in one line if not:
# the core works without. Called by the Maven build.
#
# usage: build.sh CLASSES JAVA_HOME HEADERS
#   CLASSES    gets META-INF/native/linux-<cpu>/libverbena.so and its SHA-256
#   HEADERS    folder with infiniband/ and rdma/ of rdma-core 45 or later; "default": the compiler's own
set -u
here=$(cd "$(dirname "$0")" && pwd)
classes=$1
java_home=$2
headers=$3
[ "$headers" != default ] || headers=

case $(uname -m) in
  x86_64) cpu=amd64 ;;
  aarch64) cpu=arm64 ;;
  *) cpu=$(uname -m) ;;
esac
into=$classes/META-INF/native/linux-$cpu

without() {
  rm -rf "$into"
  echo "libverbena.so is not built, so there is no provider rdmacore and no pool on a DAX device: $1"
  exit 0
}

[ "$(uname -s)" = Linux ] || without "this is not Linux"
command -v make > /dev/null || without "there is no make"
command -v cc > /dev/null || without "there is no C compiler"
[ -f "$java_home/include/jni.h" ] || without "$java_home has no include/jni.h"
reason=$(make -s -C "$here" headers RDMA_HEADERS="$headers" 2>&1) || without "$(echo "$reason" | head -1)"

make -s -C "$here" RDMA_HEADERS="$headers" JAVA_HOME="$java_home" OUT="$into" || exit 1
sha256sum "$into/libverbena.so" | cut -d' ' -f1 > "$into/libverbena.so.sha256"
