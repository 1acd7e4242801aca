# NVRTC for machines without a CUDA Toolkit, sourced by ../tilescope: NVIDIA's Python packages that wheels.txt pins,
# unpacked into the user's data folder, where CMakeLists.txt and engine/compile/toolkit_folders.cpp look for them too.
# shellcheck shell=bash disable=SC2154 # root is set there

installed_toolkits=(/usr/local/cuda /usr/local/cuda-* /usr/local /usr)
oldest_cuda=12000 # CUDA_VERSION of cuda.h; as engine/compile/nvrtc_library.cpp has it

wheel_packages=() wheel_versions=() wheel_bytes=() wheel_checksums=()
download_bytes=0 unpacked_bytes=0
nvrtc_version=

# The rows of wheels.txt for this machine.
read_wheels() {
  ((${#wheel_packages[@]} == 0)) || return 0
  local architecture package version bytes unpacked checksum machine
  machine=$(uname -m)
  while read -r architecture package version bytes unpacked checksum; do
    [[ $architecture == "$machine" ]] || continue
    wheel_packages+=("$package")
    wheel_versions+=("$version")
    wheel_bytes+=("$bytes")
    wheel_checksums+=("$checksum")
    download_bytes=$((download_bytes + bytes))
    unpacked_bytes=$((unpacked_bytes + unpacked))
    [[ $package != nvidia-cuda-nvrtc ]] || nvrtc_version=$version
  done <"$root/launcher/wheels.txt"
  ((${#wheel_packages[@]})) || die "there is no NVRTC to download for this machine ($machine); install the CUDA Toolkit 12.4 or later, or set CUDA_PATH to where it is"
}

data_folder() {
  if [[ -n ${XDG_DATA_HOME:-} ]]; then
    printf '%s\n' "$XDG_DATA_HOME/tilescope"
  elif [[ -n ${HOME:-} ]]; then
    printf '%s\n' "$HOME/.local/share/tilescope"
  else
    die "neither HOME nor XDG_DATA_HOME is set, so there is no folder for NVRTC; set one of them"
  fi
}

# megabytes BYTES: "95.7 MB".
megabytes() { printf '%d.%d MB\n' $((($1 + 50000) / 1000000)) $((($1 + 50000) / 100000 % 10)); }

# Whether a folder holds the headers of a toolkit that is new enough.
is_toolkit() {
  [[ -e $1/include/nvrtc.h && -e $1/include/cuda.h ]] || return 1
  local version
  version=$(sed -n 's/^#define CUDA_VERSION \([0-9]*\).*/\1/p' "$1/include/cuda.h")
  ((${version:-0} >= oldest_cuda))
}

# A tree gets its name when it is complete; a file may still have been deleted from it.
is_downloaded() {
  local tree
  read_wheels
  tree=$(data_folder 2>/dev/null)/cuda-$nvrtc_version
  [[ -e $tree/include/cuda.h && -e $tree/include/nvrtc.h && -e $tree/lib/libnvrtc.so.13 ]]
}

needs_nvrtc() {
  local folder
  for folder in ${CUDA_PATH:+"$CUDA_PATH"} "${installed_toolkits[@]}"; do
    ! is_toolkit "$folder" || return 1
  done
  ! is_downloaded
}

has_pip() { python3 -m pip --version >/dev/null 2>&1; }

# is_good_wheel INDEX FILE: whether it has the pinned size and checksum.
is_good_wheel() {
  [[ -f $2 && $(stat --format=%s "$2") == "${wheel_bytes[$1]}" ]] &&
    sha256sum --check --status <<<"${wheel_checksums[$1]}  $2"
}

say_nvrtc_download() {
  local kept=0 index downloads
  read_wheels
  downloads=$(data_folder)/download
  for index in "${!wheel_packages[@]}"; do
    ! is_good_wheel "$index" "$downloads/${wheel_packages[index]}.whl" || kept=$((kept + wheel_bytes[index]))
  done
  [[ -z ${CUDA_PATH:-} ]] || say "CUDA_PATH is $CUDA_PATH, where no CUDA Toolkit 12 or later was found"
  say "no CUDA Toolkit is installed, so NVRTC $nvrtc_version, NVIDIA's compiler for kernels, is downloaded as Python packages:"
  say "  $(megabytes "$download_bytes")$( ((kept == 0)) || printf ', of which %s are already here' "$(megabytes "$kept")"), into $(data_folder)/cuda-$nvrtc_version ($(megabytes "$unpacked_bytes") there)"
}

# The folder of an unfinished download: who agreed to it is not asked again when it continues.
has_agreed() { [[ -d $(data_folder)/download ]]; }
agree() {
  mkdir -p "$(data_folder)/download" 2>/dev/null ||
    die "$(data_folder) cannot be written; set XDG_DATA_HOME to a folder that can"
}

# is_network_failure TEXT: whether pip, which wrote this, got no answer from the network.
is_network_failure() {
  case $1 in
    *NewConnectionError* | *ConnectTimeoutError* | *ReadTimeoutError* | *'Read timed out'* | *NameResolutionError* | \
      *'Temporary failure'* | *'Network is unreachable'* | *ProtocolError* | *IncompleteRead* | *'Connection refused'*) ;;
    *) return 1 ;;
  esac
}

# Why pip failed, from what it wrote; the next step with it.
die_of_pip() { # PACKAGE LOG
  local log
  log=$(<"$2")
  [[ $log != *'DO NOT MATCH THE HASHES'* ]] ||
    die "the download of $1 does not have the checksum that launcher/wheels.txt pins and was thrown away; run ./tilescope again, and if that does not help, ask who runs your network or package index what changes it"
  ! is_network_failure "$log" ||
    die "NVRTC could not be downloaded because the network does not answer; connect and run ./tilescope again, which keeps what is already here"
  tail -n 5 "$2" >&2
  die "pip could not download $1; its message is above (run ./tilescope again once that is fixed, or install the CUDA Toolkit 12.4 or later)"
}

# fetch_wheel INDEX FOLDER: leaves the checked file under a name without its version's tags.
fetch_wheel() {
  local index=$1 package=${wheel_packages[$1]} wheel=$2/${wheel_packages[$1]}.whl incoming=$2/incoming
  ! is_good_wheel "$index" "$wheel" || return 0
  rm -rf "$wheel" "$incoming"
  mkdir "$incoming"
  printf '%s==%s --hash=sha256:%s\n' "$package" "${wheel_versions[index]}" "${wheel_checksums[index]}" \
    >"$incoming/requirements.txt"
  say "downloading $package ($(megabytes "${wheel_bytes[index]}"), $((index + 1)) of ${#wheel_packages[@]})"
  local -a download=(env PIP_REQUIRE_VIRTUALENV=false python3 -m pip download --disable-pip-version-check --no-cache-dir
    --retries 2 --no-deps '--only-binary=:all:' --require-hashes
    --requirement "$incoming/requirements.txt" --dest "$incoming")
  # With a terminal pip shows how far it is.
  if [[ -t 2 ]]; then
    "${download[@]}" >&2 2>"$incoming/log" || die_of_pip "$package" "$incoming/log"
  else
    "${download[@]}" >/dev/null 2>"$incoming/log" || die_of_pip "$package" "$incoming/log"
  fi
  local -a files=("$incoming"/*.whl)
  is_good_wheel "$index" "${files[0]}" ||
    die "the download of $package is not the file that launcher/wheels.txt pins and was thrown away; run ./tilescope again"
  mv "${files[0]}" "$wheel"
  rm -rf "$incoming"
}

# Downloads what is missing, and unpacks it beside its final name, which it gets when it is complete and on the disk.
fetch_nvrtc() {
  needs_nvrtc || return 0
  has_pip || die "python3 with pip is missing, which downloads NVRTC; install it, or the CUDA Toolkit 12.4 or later"
  local data downloads tree index
  data=$(data_folder)
  downloads=$data/download
  tree=$downloads/tree
  agree
  exec 9>"$data/download.lock"
  if ! flock --nonblock 9; then
    say "waiting for a different start of tilescope, which is downloading NVRTC"
    flock 9
  fi
  if needs_nvrtc; then
    mkdir -p "$downloads"
    local -a wheels=()
    for index in "${!wheel_packages[@]}"; do
      fetch_wheel "$index" "$downloads"
      wheels+=("$downloads/${wheel_packages[index]}.whl")
    done
    say "unpacking NVRTC"
    rm -rf "$tree"
    local written
    written=$(python3 "$root/launcher/unpack.py" "$tree" "${wheels[@]}" 2>"$downloads/log") ||
      die "NVRTC could not be unpacked into $data: $(<"$downloads/log"); run ./tilescope again once that is fixed"
    ((written == unpacked_bytes)) ||
      die "NVRTC was not unpacked whole: $written bytes of the $unpacked_bytes that launcher/wheels.txt names; run ./tilescope again"
    sync --file-system "$tree"
    rm -rf "$data/cuda-$nvrtc_version"
    mv --no-target-directory "$tree" "$data/cuda-$nvrtc_version"
    rm -rf "$downloads"
  fi
  exec 9>&-
}
