# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# vm-test.sh -- bin/verbena vm-test: commands that need a kernel's verbs or persistent memory

# shellcheck source=integration/vm/guest.sh
. "$VERBENA_HOME/integration/vm/guest.sh"
# shellcheck source=integration/vm/boot.sh
. "$VERBENA_HOME/integration/vm/boot.sh"

vm_usage() {
  cat <<'END'
usage: bin/verbena vm-test --prepare       installs what the host lacks and builds the guest
       bin/verbena vm-test --root          prints the folder that is the guest's root
       bin/verbena vm-test --run COMMAND   runs a shell command in the guest, within VERBENA_VM_SECONDS
                                           (600); the project is in /verbena, /out comes out
END
}

# vm_test ARGUMENT... -- the command; QEMU ends with it
vm_test() {
  trap stop_qemu EXIT
  trap 'exit 130' INT
  trap 'exit 143' TERM
  case ${1-} in
    --help | -h)
      vm_usage
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
      run_in_guest "$VERBENA_HOME/integration/vm/target/run/command" "${VERBENA_VM_SECONDS:-600}" "$*"
      ;;
    *)
      vm_usage >&2
      return 2
      ;;
  esac
}
