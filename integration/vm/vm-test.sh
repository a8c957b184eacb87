# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# vm-test.sh -- bin/verbena vm-test: the tests that need a kernel's verbs or persistent memory

# shellcheck source=integration/vm/guest.sh
. "$VERBENA_HOME/integration/vm/guest.sh"
# shellcheck source=integration/vm/boot.sh
. "$VERBENA_HOME/integration/vm/boot.sh"

# name | minutes it may take in the guest | what it shows; suites/NAME selects its tests
vm_suites=(
  'lane|5|the lane itself: stock RDMA tools on two links, a device-DAX namespace'
  'soft|10|the software NIC and pools of the store on the kernel and the JDK of the guest'
  'devdax|10|pools and a store on a device-DAX namespace'
  'conformance|15|provider rdmacore on the verbs of the kernel, soft-RoCE'
  'append|10|durable appends over soft-RoCE into a device-DAX pool, by FLUSH and by each fallback'
  'staging|5|appends into a pool in a file system with DAX, which soft-RoCE can not register'
  'rpc|5|calls over soft-RoCE between two JVMs: clients come, go and are killed, nothing is left'
  'spark|10|a Spark job whose shuffle goes over soft-RoCE, its blocks on DAX devices'
  'hosts|8|two guests as two hosts: calls, durable appends, READs, a cable that is pulled'
  'power|3|acknowledged appends are there after the power was cut, VERBENA_VM_CUTS (2) times'
)

vm_target=$VERBENA_HOME/integration/vm/target

vm_usage() {
  cat <<'END'
usage: bin/verbena vm-test [SUITE...]      runs suites, each in a guest of its own; all if none is named
       bin/verbena vm-test --list          shows the suites
       bin/verbena vm-test --prepare       installs what the host lacks and builds the guest
       bin/verbena vm-test --root          prints the folder that is the guest's root
       bin/verbena vm-test --run COMMAND   runs a shell command in the guest, within VERBENA_VM_SECONDS
                                           (600); the project is in /verbena, /out comes out

VERBENA_VM_NVDIMM=FILE keeps the NVDIMM in a file for the next guest, VERBENA_VM_PATIENCE=N multiplies
deadlines on a busy machine, VERBENA_VM_CUTS=N and VERBENA_VM_SEED=N are how often suite power cuts it, and when.
END
}

# suite_row NAME -- prints the row of a suite, nothing if there is none
suite_row() {
  local row
  for row in "${vm_suites[@]}"; do
    [ "${row%%|*}" != "$1" ] || printf '%s\n' "$row"
  done
}

# build_tests MODULES -- the jars of the tests and of what they test, libverbena.so by the guest's headers
build_tests() {
  echo "vm: building the tests"
  mkdir -p -- "$VERBENA_HOME/target"
  (
    flock -w 1800 9
    cd -- "$VERBENA_HOME"
    ./mvnw -B -ntp -Dfast -DskipTests -Dverbena.rdma.headers="$vm_root/usr/include" \
      -pl "$1" -am package 9>&- | build_progress
  ) 9>"$VERBENA_HOME/target/launcher.lock" || {
    echo "vm: the build failed" >&2
    return 1
  }
}

# skipped_tests REPORT -- prints "test: reason" for each test that was skipped
skipped_tests() {
  awk '
    /<testcase / { match($0, / name="[^"]*"/); test = substr($0, RSTART + 7, RLENGTH - 8) }
    /<skipped>/ { sub(/.*<skipped><!\[CDATA\[/, ""); sub(/]]>.*/, ""); print test ": " $0 }' "$1"
}

# take_report SUITE RUN NAME -- keeps the JUnit report that a run of a suite left, and tells its counts and
# what was skipped; fails if there is none
take_report() {
  local found=$2/out/reports/TEST-junit-jupiter.xml report=$vm_target/$1-reports/TEST-$3.xml
  local passed failed skipped
  [ -e "$found" ] || return
  mkdir -p -- "${report%/*}"
  cp -- "$found" "$report"
  read -r passed failed skipped <<<"$(count_report "$report")"
  skipped_tests "$report" | sed "s/^/vm: suite $1: skipped: /"
  echo "vm: suite $3: $((passed + failed)) executed, $failed failed, $skipped skipped"
}

# run_selected NAME MINUTES -- a suite in one guest
run_selected() {
  local run=$vm_target/run/$1 status=0
  run_in_guest "$run" $(($2 * 60)) \
    "/verbena/integration/vm/guest/links && /verbena/integration/vm/guest/junit $1" || status=$?
  take_report "$1" "$run" "$1" || [ "$status" -ne 0 ] || status=70
  return "$status"
}

# run_spark NAME MINUTES -- a suite in a guest with a second NVDIMM, since a device is one executor's pool
run_spark() {
  local file=$vm_target/run/$1/nvdimm-1 vm_hardware
  vm_hardware=(
    -object "memory-backend-file,id=nvdimm1-file,share=on,mem-path=$file,size=256M"
    -device "nvdimm,id=nvdimm1,memdev=nvdimm1-file"
  )
  run_selected "$@"
}

# run_hosts NAME MINUTES -- a suite in a guest, its peer in another one beside it; a cable, which is a socket,
# joins their network cards
run_hosts() {
  local run=$vm_target/run/$1 folder status=0 vm_hardware guest=/verbena/integration/vm/guest
  folder=$(mktemp -d)
  local cable=stream,id=cable,addr.type=unix,addr.path=$folder/cable card=virtio-net-pci,netdev=cable
  vm_hardware=(-netdev "$cable,server=on" -device "$card,mac=52:54:00:78:00:02")
  begin_run "$run-peer" $(($2 * 60)) "$guest/host 2 && $guest/host-peer" || return
  set_beside
  vm_hardware=(-netdev "$cable,server=off" -device "$card,mac=52:54:00:78:00:01")
  run_in_guest "$run" $(($2 * 60)) "$guest/host 1 && $guest/junit $1" || status=$?
  end_beside "$run-peer"
  rm -rf -- "$folder"
  take_report "$1" "$run" "$1" || [ "$status" -ne 0 ] || status=70
  return "$status"
}

# run_power NAME MINUTES -- cuts the power of a guest under load at a drawn moment and looks from the next
# boot on the same NVDIMM, again and again; MINUTES are each boot's
run_power() {
  local cut count run seed=${VERBENA_VM_SEED:-$SRANDOM} VERBENA_VM_NVDIMM
  for cut in $(seq "${VERBENA_VM_CUTS:-2}"); do
    run=$vm_target/run/$1-$cut
    # Drawn by the seed and the cut alone, so that one cut can be done again.
    RANDOM=$(((seed + cut) % 32768))
    : "$RANDOM" # of seeds beside each other the first numbers are often beside each other too
    count=$((1 + RANDOM % 400))
    echo "vm: power cut $cut at $count acknowledgements, VERBENA_VM_SEED=$seed"
    rm -rf --one-file-system -- "$run.in" "$run.nvdimm"
    mkdir -p -- "$run.in"
    VERBENA_VM_NVDIMM=$run.nvdimm
    cut_power "$run-load" $(($2 * 60)) "/verbena/integration/vm/guest/power-load $((seed + cut))" "$count" ||
      return
    cp -- "$run-load/acknowledged" "$run.in/acknowledged"
    echo "$((seed + cut))" >"$run.in/seed"
    run_in_guest "$run" $(($2 * 60)) /verbena/integration/vm/guest/power-check || return
    take_report "$1" "$run" "$1-$cut" || return
    rm -rf --one-file-system -- "$run.in" "$run.nvdimm"
  done
}

# run_suite NAME -- runs a suite, leaves its JUnit reports, tells its counts; fails if it or a test failed
run_suite() {
  local name=$1 minutes status=0 started=$SECONDS run=run_selected
  IFS='|' read -r _ minutes _ <<<"$(suite_row "$name")"
  rm -rf -- "$vm_target/$name-reports"
  echo "vm: suite $name (at most $minutes min a guest)"
  [ "$(type -t "run_$name")" != function ] || run=run_$name
  "$run" "$name" "$minutes" || status=$?
  echo "vm: suite $name: status $status, $((SECONDS - started)) s"
  return "$status"
}

# run_suites NAME... -- runs suites, all of them if none is named; fails if one failed, or if all
# ran and a test did not run that docs/faults.md has for them
run_suites() {
  local name failed=0 projects=integration/vm all=$# unseen=
  [ $# -gt 0 ] || set -- "${vm_suites[@]%%|*}"
  for name in "$@"; do
    if [ -z "$(suite_row "$name")" ]; then
      echo "verbena: no suite '$name'; there are $(printf '%s\n' "${vm_suites[@]%%|*}" | paste -sd ' ')" >&2
      return 2
    fi
  done
  find_java
  prepare_guest || return
  # Spark's jars are built and copied for the suite alone that needs them.
  [[ " $* " != *' spark '* ]] || projects+=,integration,spark-plugin
  build_tests "$projects" || return
  for name in "$@"; do
    run_suite "$name" || failed=$((failed + 1))
  done
  echo "vm: $# suites, $failed failed; $vm_lost_boots boots that came to nothing"
  [ "$all" -gt 0 ] || unseen=$(unseen_tests vm)
  [ -z "$unseen" ] || sed 's/^/vm: a test of docs\/faults.md did not run: /' <<<"$unseen"
  [ "$failed" -eq 0 ] && [ -z "$unseen" ]
}

# vm_test ARGUMENT... -- the command; QEMU ends with it
vm_test() {
  trap stop_guests EXIT
  trap 'exit 130' INT
  trap 'exit 143' TERM
  case ${1-} in
    --help | -h)
      vm_usage
      ;;
    --list)
      printf '%s\n' "${vm_suites[@]}" | awk -F '|' '{ printf "%-12s at most %s min: %s\n", $1, $2, $3 }'
      ;;
    --prepare)
      prepare_guest
      ;;
    --root)
      prepare_guest >&2 || return
      printf '%s\n' "$vm_root"
      ;;
    --run)
      shift
      prepare_guest || return
      run_in_guest "$vm_target/run/command" "${VERBENA_VM_SECONDS:-600}" "$*"
      ;;
    -*)
      vm_usage >&2
      return 2
      ;;
    *)
      run_suites "$@"
      ;;
  esac
}
