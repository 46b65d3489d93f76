# Helpers that the scripts here share. Source it; it changes to the root of the checkout.
# shellcheck shell=bash
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

say() { printf '== %s\n' "$*"; }

# Prints one sentence on stderr and ends the script.
die() {
  printf 'error: %s\n' "$*" >&2
  exit 1
}

have() { command -v "$1" >/dev/null 2>&1; }

# Jobs to run at once: a core each, and 1.5 GB of memory for each compiler.
jobs_to_run() {
  local cores memory
  cores=$(nproc 2>/dev/null || echo 2)
  memory=$(awk '/^MemAvailable:/ { print int($2 / 1500000) }' /proc/meminfo 2>/dev/null || true)
  memory=${memory:-$cores}
  local n=$((memory < cores ? memory : cores))
  echo $((n < 1 ? 1 : n))
}

# The cmake to use: the system's, or the newer one that scripts/setup put into .venv.
find_cmake() {
  if [ -x .venv/bin/cmake ]; then
    echo "$PWD/.venv/bin/cmake"
  else
    command -v cmake || die "cmake is missing; run scripts/setup."
  fi
}

# configure DIR OPTION...: configures the build folder DIR with Ninja. A folder made for another
# checkout or another generator is configured afresh.
configure() {
  local dir=$1 cmake cache
  shift
  cmake=$(find_cmake)
  cache=$dir/CMakeCache.txt
  if [ -f "$cache" ] && ! { grep -qxF "CMAKE_HOME_DIRECTORY:INTERNAL=$PWD" "$cache" &&
    grep -qxF "CMAKE_GENERATOR:INTERNAL=Ninja" "$cache"; }; then
    say "$dir was made for another checkout or generator: configuring it afresh"
    rm -rf "$cache" "$dir/CMakeFiles"
  fi
  "$cmake" -S . -B "$dir" -G Ninja "$@"
}

# compile DIR TARGET...: builds the targets (all when none is named) with progress lines.
compile() {
  local dir=$1 cmake
  shift
  cmake=$(find_cmake)
  "$cmake" --build "$dir" -j "$(jobs_to_run)" ${1:+--target "$@"}
}
