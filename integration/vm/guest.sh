# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# guest.sh -- the guest of the VM lane: a Debian root, a kernel and an initramfs, built once and kept
# outside the tree

vm_release=trixie

# Kernel 6.12 and rdma-core 56 are the first pair with FLUSH and ATOMIC_WRITE on rxe.
vm_guest_packages=(
  linux-image-amd64 kmod busybox-static iproute2 procps e2fsprogs ndctl
  rdma-core ibverbs-utils rdmacm-utils perftest
  libibverbs-dev librdmacm-dev # headers for native/
  openjdk-21-jre-headless
)

# Debian packages that the host needs, each with a command that shows that it is there.
vm_host_packages=(
  'qemu-system-x86|qemu-system-x86_64'
  'mmdebstrap|mmdebstrap'
  'debian-archive-keyring|/usr/share/keyrings/debian-archive-keyring.gpg'
  'kmod|modprobe'
  'xz-utils|xz'
  'cpio|cpio'
)

# crc32_generic: without it, rdma_rxe loads and adding a link fails with ENOENT.
vm_modules=(
  virtio_pci virtio_console virtio_net 9pnet_virtio 9p overlay
  libnvdimm nfit nd_pmem dax_pmem device_dax ext4
  crc32_generic crc32c_generic rdma_rxe rdma_ucm veth
)

# missing_host_packages -- prints those of the host's packages that are not there, one a line
missing_host_packages() {
  local row
  for row in "${vm_host_packages[@]}"; do
    command -v "${row#*|}" >/dev/null || [ -e "${row#*|}" ] || printf '%s\n' "${row%|*}"
  done
}

# debian_mirror -- prints the mirror that the guest is made from, nothing if the host has none and none is named
debian_mirror() {
  local ID='' VERSION_CODENAME=''
  # shellcheck source=/dev/null
  [ ! -e /etc/os-release ] || . /etc/os-release
  if [ -n "${VERBENA_VM_MIRROR-}" ]; then
    printf '%s\n' "$VERBENA_VM_MIRROR"
  elif [ "$ID" = debian ]; then
    # shellcheck disable=SC2016 # apt's own placeholders
    apt-get indextargets --format '$(REPO_URI) $(RELEASE) $(COMPONENT)' 'Created-By: Packages' |
      awk -v codename="$VERSION_CODENAME" '$2 == codename && $3 == "main" { print $1; exit }'
  fi
}

# download URI -- fetches a file and throws it away, prints what apt says of it
download() {
  local folder status=0
  folder=$(mktemp -d)
  LC_ALL=C timeout 60 /usr/lib/apt/apt-helper -o Acquire::Retries=1 -o Acquire::http::Timeout=20 \
    -o Acquire::https::Timeout=20 download-file "$1" "$folder/file" 2>&1 || status=$?
  rm -rf -- "$folder"
  return "$status"
}

# needs_mirror -- ends with 77, the skip code of a lane, on a machine that has no mirror or can't reach it;
# one that answers, whatever it says, is there
needs_mirror() {
  local mirror said
  mirror=$(debian_mirror)
  if [ -z "$mirror" ]; then
    echo "vm: this machine has no mirror of Debian: name one in VERBENA_VM_MIRROR" >&2
    return 77
  fi
  if ! said=$(download "${mirror%/}/dists/$vm_release/InRelease") &&
    grep -E 'Could not (connect|resolve)|Temporary failure|Connection (failed|refused|timed out)|is unreachable' \
      <<<"$said" >&2; then
    echo "vm: this machine can't reach a mirror of Debian, and has no guest yet" >&2
    return 77
  fi
}

# install_host_packages -- ends with 77, the skip code of a lane, on a machine that can't have them
install_host_packages() {
  local missing install
  if [ "$(uname -m)" != x86_64 ]; then
    echo "vm: the guest is an x86_64 machine, this one is $(uname -m)" >&2
    return 77
  fi
  mapfile -t missing < <(missing_host_packages)
  [ "${#missing[@]}" -gt 0 ] || return 0
  install=(apt-get -q -y install --no-install-recommends "${missing[@]}")
  if [ "$(id -u)" -ne 0 ] || ! command -v apt-get >/dev/null; then
    echo "vm: missing on this machine; as root: ${install[*]}" >&2
    return 77
  fi
  needs_mirror || return
  echo "vm: ${install[*]}"
  export DEBIAN_FRONTEND=noninteractive
  timeout 5m apt-get -q update >/dev/null && timeout 10m "${install[@]}" >/dev/null
}

# vm_cache -- prints the folder of the guest that these package and module lists make
vm_cache() {
  local key
  key=$(printf '%s\n' "$vm_release" "${vm_guest_packages[@]}" | sha256sum | cut -c 1-12)
  printf '%s\n' "${XDG_CACHE_HOME:-$HOME/.cache}/verbena/vm-$key"
}

# build_root CACHE -- installs the guest's packages into CACHE/root; what an attempt that was stopped has
# downloaded is used again
build_root() {
  local mirror new=$1/root.new archives=var/cache/apt/archives own_mounts=()
  needs_mirror || return
  mirror=$(debian_mirror)
  # What is mounted in the root while it is made goes with the processes that make it.
  [ "$(id -u)" -ne 0 ] || own_mounts=(unshare --mount)
  echo "vm: building the guest in $1 (600 MB, a few minutes; once)"
  mkdir -p -- "$1/$archives"
  find "$new/$archives" -maxdepth 1 -name '*.deb' -exec mv -f -t "$1/$archives" -- {} + 2>/dev/null || true
  rm -rf --one-file-system -- "$new"
  if ! timeout --foreground 20m "${own_mounts[@]}" mmdebstrap --quiet --variant=minbase --dpkgopt=force-unsafe-io \
    --skip=download/empty --setup-hook="mkdir -p \"\$1/$archives\"" \
    --setup-hook="find '$1/$archives' -name '*.deb' -exec cp -t \"\$1/$archives\" -- {} +" \
    --include="$(IFS=, && printf '%s' "${vm_guest_packages[*]}")" \
    "$vm_release" "$new" "deb $mirror $vm_release main" >"$1/build.log" 2>&1; then
    tail -n 20 -- "$1/build.log" >&2
    echo "vm: the guest could not be built; see $1/build.log" >&2
    return 1
  fi
  mv -- "$new" "$1/root"
  rm -rf -- "$1/var"
}

# kernel_version CACHE -- prints the version of the guest's kernel
kernel_version() {
  local modules=("$1"/root/lib/modules/*)
  printf '%s\n' "${modules[0]##*/}"
}

# build_initramfs CACHE FILE -- busybox, guest/init and the modules in the order to load them
build_initramfs() {
  local work kernel module path name
  work=$(mktemp -d -- "$1/initramfs.XXXXXX")
  kernel=$(kernel_version "$1")
  mkdir -p -- "$work"/{bin,modules,proc,sys,dev,lower,upper,new}
  cp -- "$1/root/bin/busybox" "$work/bin/busybox"
  cp -- "$VERBENA_HOME/integration/vm/guest/init" "$work/init"
  for module in "${vm_modules[@]}"; do
    # --ignore-install: else libnvdimm, which has an install rule, is left out without a word.
    modprobe -d "$1/root" -S "$kernel" --ignore-install --show-depends "$module" || return
  done | awk '$1 == "insmod" && !seen[$2]++ { print $2 }' >"$work/modules.found" || return
  while IFS= read -r path; do
    name=${path##*/}
    name=${name%.xz}
    case $path in
      *.xz) xz -dc -- "$path" >"$work/modules/$name" ;;
      *) cp -- "$path" "$work/modules/$name" ;;
    esac
    printf '%s\n' "$name" >>"$work/modules/order"
  done <"$work/modules.found"
  rm -- "$work/modules.found"
  (cd -- "$work" && find . -print0 | cpio --quiet --null -o -H newc | gzip -1) >"$2.new" || return
  mv -- "$2.new" "$2"
  rm -rf -- "$work"
}

# prepare_guest -- builds what is missing; sets vm_root, vm_kernel and vm_initramfs
# shellcheck disable=SC2034 # they are for boot.sh
prepare_guest() {
  local cache key
  install_host_packages || return
  cache=$(vm_cache)
  mkdir -p -- "$cache"
  exec 8>"$cache/lock"
  if ! flock -w 1800 8; then
    echo "vm: another process has been building the guest in $cache for 30 min" >&2
    return 1
  fi
  [ -d "$cache/root" ] || build_root "$cache" || return
  vm_root=$cache/root
  vm_kernel=$vm_root/boot/vmlinuz-$(kernel_version "$cache")
  key=$({ printf '%s\n' "${vm_modules[@]}" && cat -- "$VERBENA_HOME/integration/vm/guest/init"; } |
    sha256sum | cut -c 1-12)
  vm_initramfs=$cache/initramfs-$key.gz
  [ -e "$vm_initramfs" ] || build_initramfs "$cache" "$vm_initramfs" || return
  exec 8>&-
}
