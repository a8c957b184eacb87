# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# boot.sh -- one run of the guest: starts QEMU, waits for the guest, brings its status out

vm_attempts=3
vm_lost_boots=0
# Deadlines are for a machine that has nothing else to do; a busy one multiplies them.
vm_patience=${VERBENA_VM_PATIENCE:-1}
vm_boot_seconds=$((300 * vm_patience))
vm_silent_seconds=$((60 * vm_patience))

# What a suite adds to the guest's hardware, as arguments of QEMU.
vm_hardware=()

# qemu RUN CONSOLE -- starts QEMU on the run's files, its console into a file; sets vm_pid
# shellcheck disable=SC2154 # set by prepare_guest
qemu() {
  local accel=tcg,thread=multi cpu=max
  # QEMU dies with the launcher, even by SIGKILL.
  setpriv --pdeathsig KILL qemu-system-x86_64 \
    -machine pc,nvdimm=on -accel "$accel" -cpu "$cpu" -smp 2 -m 6G,slots=2,maxmem=8G \
    -display none -monitor none -serial "file:$2" -no-reboot -nic none \
    -object "memory-backend-file,id=nvdimm,share=on,mem-path=$vm_nvdimm,size=512M" \
    -device nvdimm,id=nvdimm0,memdev=nvdimm "${vm_hardware[@]}" \
    -device virtio-serial -chardev "file,id=acknowledged,path=$1/acknowledged" \
    -device virtserialport,chardev=acknowledged,name=verbena.acknowledged \
    -virtfs "local,path=$vm_root,mount_tag=root,security_model=none,readonly=on,multidevs=remap" \
    -virtfs "local,path=$VERBENA_HOME,mount_tag=verbena,security_model=none,readonly=on,multidevs=remap" \
    -virtfs "local,path=$1/out,mount_tag=out,security_model=none,multidevs=remap" \
    -kernel "$vm_kernel" -initrd "$vm_initramfs" \
    -append "console=ttyS0 panic=-1" </dev/null >"$1/qemu.log" 2>&1 &
  vm_pid=$!
}

# stop_qemu -- ends the guest at once, if one runs
stop_qemu() {
  [ -n "${vm_pid-}" ] || return 0
  kill -KILL "$vm_pid" 2>/dev/null || true
  wait "$vm_pid" 2>/dev/null || true
  vm_pid=
}

# is_gone -- whether QEMU has ended
is_gone() {
  ! kill -0 "$vm_pid" 2>/dev/null
}

# comes_up CONSOLE -- waits for the guest's UP line; fails at an oops, at silence, or when time is up
comes_up() {
  local end=$((SECONDS + vm_boot_seconds)) heard=$SECONDS size=0 now
  while [ "$SECONDS" -lt "$end" ] && [ $((SECONDS - heard)) -lt "$vm_silent_seconds" ] && ! is_gone; do
    ! grep -qE 'Oops|kernel BUG|Kernel panic' "$1" || return 1
    ! grep -q '^verbena guest: UP' "$1" || return 0
    now=$(stat -c %s -- "$1")
    [ "$now" -eq "$size" ] || size=$now heard=$SECONDS
    sleep 0.5
  done
  return 1
}

# boot_guest RUN -- starts the guest; an oops or silence before its UP line is tried again, since the
# emulation of two processors sometimes loses a kernel that patches its own text. Sets vm_console.
boot_guest() {
  local attempt started
  for attempt in $(seq "$vm_attempts"); do
    started=$SECONDS
    vm_console=$1/console-$attempt.log
    : >"$vm_console"
    qemu "$1" "$vm_console"
    if comes_up "$vm_console"; then
      echo "vm: the guest is up after $((SECONDS - started)) s, boot $attempt of $vm_attempts"
      return
    fi
    stop_qemu
    vm_lost_boots=$((vm_lost_boots + 1))
    echo "vm: boot $attempt of $vm_attempts came to nothing within $((SECONDS - started)) s; see $vm_console" >&2
    tail -n 5 -- "$vm_console" "$1/qemu.log" >&2
  done
  return 1
}

# begin_run RUN SECONDS COMMAND -- boots a guest of its own that runs a shell command; what stands in
# RUN.in is in its /out. Sets vm_end, when it is too late, and vm_tail, which prints what it prints.
# The NVDIMM is VERBENA_VM_NVDIMM, a file that is kept, or one of this run's own.
begin_run() {
  local run=$1 seconds=$(($2 * vm_patience))
  vm_nvdimm=${VERBENA_VM_NVDIMM:-$run/nvdimm}
  rm -rf --one-file-system -- "$run"
  mkdir -p -- "$run/out"
  [ ! -d "$run.in" ] || cp -- "$run.in"/* "$run/out"
  printf 'export VERBENA_VM_PATIENCE=%s VERBENA_VM_SEED=%s\n%s\n' \
    "$vm_patience" "${VERBENA_VM_SEED-}" "$3" >"$run/out/command"
  printf '%s\n' "$seconds" >"$run/out/seconds"
  boot_guest "$run" || return 70
  tail -n +1 -f -s 0.5 --pid="$vm_pid" -- "$vm_console" |
    sed -u -e '0,/^verbena guest: UP/d' -e 's/\r$//' &
  vm_tail=$!
  vm_end=$((SECONDS + seconds + 60))
}

# end_run RUN -- ends the guest and what prints its output
end_run() {
  stop_qemu
  wait "$vm_tail" || true
  rm -f -- "$1"/nvdimm*
}

# set_beside -- leaves the guest that was begun to itself, to run beside the next one
set_beside() {
  vm_peer_pid=$vm_pid vm_peer_tail=$vm_tail
  vm_pid=
}

# end_beside RUN -- ends the guest that runs beside
end_beside() {
  vm_pid=$vm_peer_pid vm_tail=$vm_peer_tail
  vm_peer_pid=
  end_run "$1"
}

# stop_guests -- ends all guests at once
stop_guests() {
  stop_qemu
  vm_pid=${vm_peer_pid-}
  stop_qemu
}

# tell_late RUN WHAT -- tells that the guest still runs, and its last lines
tell_late() {
  echo "vm: $2; its last lines:" >&2
  tail -n 20 -- "$vm_console" "$1/qemu.log" >&2
}

# run_in_guest RUN SECONDS COMMAND -- runs a shell command in a guest of its own, prints what it prints,
# and leaves in RUN/out what it left in /out; returns its status, 70 if the guest did not tell one
run_in_guest() {
  local run=$1 status
  begin_run "$@" || return
  until is_gone || [ "$SECONDS" -ge "$vm_end" ]; do
    sleep 0.5
  done
  is_gone || tell_late "$run" "the guest was still running a minute after its time, and was ended"
  end_run "$run"
  status=$(cat -- "$run/out/status" 2>/dev/null) || {
    echo "vm: the guest ended without a status; see $vm_console" >&2
    return 70
  }
  [ "$status" -ne 124 ] || echo "vm: stopped after $(($2 * vm_patience)) s" >&2
  return "$status"
}

# cut_power RUN SECONDS COMMAND COUNT -- runs a shell command in a guest of its own and kills QEMU as soon as
# the host has COUNT lines of acknowledgements; fails if they don't come, or the guest ends before
cut_power() {
  local run=$1 count=$4 lines=0
  begin_run "$@" || return
  until [ "$lines" -ge "$count" ] || is_gone || [ "$SECONDS" -ge "$vm_end" ]; do
    sleep 0.05
    lines=$(wc -l <"$run/acknowledged")
  done
  [ "$lines" -ge "$count" ] || tell_late "$run" "$lines of $count acknowledgements came"
  end_run "$run"
  [ "$lines" -ge "$count" ]
}
