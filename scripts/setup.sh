#!/usr/bin/env bash
# Installs by apt what is missing for `demo`, `test`, `bench` or `ci`; says what, and is silent
# where nothing is missing.
set -euo pipefail

packages=()
need() { # need PACKAGE COMMAND-OR-HEADER
  case $2 in
    *.h) for dir in /usr/include /usr/local/include; do [ ! -e "$dir/$2" ] || return 0; done ;;
    *) ! command -v "$2" >/dev/null || return 0 ;;
  esac
  packages+=("$1")
}

need "g++" "${CXX:-g++}"
need cmake cmake
need make make
case ${1:-test} in
  demo) ;;
  test) need doctest-dev doctest/doctest.h; need zlib1g-dev zlib.h; need python3 python3 ;;
  bench) need libbenchmark-dev benchmark/benchmark.h; need python3 python3 ;;
  ci)
    need doctest-dev doctest/doctest.h
    need zlib1g-dev zlib.h
    need python3 python3
    need libopenmpi-dev mpicxx
    need openmpi-bin mpirun
    need liblapacke-dev lapacke.h
    need clang clang++
    need clang-format clang-format
    need clang-tidy clang-tidy
    ;;
  *) echo "usage: $0 demo|test|bench|ci" >&2; exit 2 ;;
esac

install() { # install PACKAGE...
  local sudo= log
  if ! command -v apt-get >/dev/null; then
    echo "weft needs $* (Debian's names), and there is no apt-get here to install them." >&2
    exit 1
  elif [ "$(id -u)" -ne 0 ]; then
    if ! command -v sudo >/dev/null; then
      echo "weft needs $*: run 'apt-get install $*' as root." >&2
      exit 1
    fi
    sudo=sudo
  fi
  echo "Installing by apt: $*"
  log=$(mktemp)
  $sudo apt-get update -qq >"$log" 2>&1 &&
    $sudo env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends \
      "$@" >>"$log" 2>&1 || { cat "$log" >&2; exit 1; }
  rm -f "$log"
}

[ ${#packages[@]} -eq 0 ] || install "${packages[@]}"

# clang's sanitizers and OpenMP come apart from it, with its version in their names.
clang_links() { clang++ -fsanitize=address -fopenmp -o /dev/null -x c++ - <<<'#include <omp.h>
int main() { return omp_get_max_threads() == 0; }' 2>/dev/null; }
if [ "${1:-test}" = ci ] && ! clang_links; then
  version=$(clang++ -dumpversion)
  install "libclang-rt-${version%%.*}-dev" "libomp-${version%%.*}-dev"
fi

at_least() { # at_least NAME MINIMUM VERSION
  if [ "$(printf '%s\n' "$2" "$3" | sort -V | head -1)" != "$2" ]; then
    echo "weft needs $1 $2 or newer, this is $3." >&2
    exit 1
  fi
}
at_least cmake 3.23 "$(cmake --version | sed -n 's/cmake version //p')"
[ -n "${CXX:-}" ] || at_least g++ 12 "$(g++ -dumpfullversion)"
