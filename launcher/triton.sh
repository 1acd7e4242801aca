# Triton for the rungs and files in Python, sourced by ../tilescope: a virtual environment in the user's data folder,
# where engine/compile/triton/triton_child.cpp looks for it.
# shellcheck shell=bash disable=SC2154 # root is set there

triton_version=3.6.0 # as triton.txt pins it
triton_download='188 MB'
triton_unpacked='700 MB'

triton_folder() { printf '%s/triton\n' "$(data_folder)"; }

# The version in the environment; fails where it is missing or cannot be imported.
installed_triton() { "$(triton_folder)/bin/python" -c 'import triton; print(triton.__version__)' 2>/dev/null; }

has_venv() { python3 -c 'import ensurepip, venv' 2>/dev/null; }

install_triton() {
  local folder version incoming answer
  folder=$(triton_folder)
  if version=$(installed_triton) && [[ $version == "$triton_version" ]]; then
    say "Triton $version is installed in $folder"
    return
  fi
  say "Triton $triton_version, the compiler of Python kernels, will be installed into $folder:"
  say "  $triton_download to download, $triton_unpacked there; neither PyTorch nor a GPU is needed, and deleting the folder removes it"
  if [[ -t 0 && -t 2 ]]; then
    read -r -p 'Continue? [Y/n] ' answer || answer=n
    [[ ${answer:-y} == [yY]* ]] || die "nothing was downloaded"
  fi
  has_venv || install_missing python3 python3-venv
  has_venv || die "this python3 cannot make virtual environments; install the package python3-venv"
  trap stop INT TERM
  incoming=$folder.incoming
  rm -rf "$incoming"
  mkdir -p "$(dirname "$folder")" 2>/dev/null || die "$(data_folder) cannot be written; set XDG_DATA_HOME to a folder that can"
  python3 -m venv "$incoming" >/dev/null || die "python3 could not make a virtual environment in $incoming; its message is above"
  local -a install=("$incoming/bin/python" -m pip install --disable-pip-version-check --no-cache-dir --retries 2
    --only-binary=:all: --require-hashes --no-deps --requirement "$root/launcher/triton.txt")
  if [[ -t 2 ]]; then
    "${install[@]}" >&2 2>"$incoming/log" || die_of_triton "$incoming/log"
  else
    "${install[@]}" >/dev/null 2>"$incoming/log" || die_of_triton "$incoming/log"
  fi
  rm -rf "$folder"
  mv --no-target-directory "$incoming" "$folder"
  trap - INT TERM
  version=$(installed_triton) || die "Triton was installed into $folder but cannot be imported: $("$folder/bin/python" -c 'import triton' 2>&1 | tail -n 1)"
  say "Triton $version is ready: the Triton rungs now run at every setting, and ./tilescope my_kernels.py opens your own file"
}

die_of_triton() { # LOG
  local log
  log=$(<"$1")
  ! is_network_failure "$log" ||
    die "Triton could not be downloaded because the network does not answer; connect and run ./tilescope triton again"
  [[ $log != *'No matching distribution'* ]] ||
    die "Triton $triton_version has no build for this Python ($(python3 --version 2>&1), $(uname -m)); it has those of CPython 3.10 to 3.14 for x86-64 and ARM64"
  tail -n 5 "$1" >&2
  die "pip could not install Triton; its message is above"
}
