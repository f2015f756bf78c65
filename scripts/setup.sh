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
    need clang clang++
    need clang-format clang-format
    need clang-tidy clang-tidy
    ;;
  *) echo "usage: $0 demo|test|bench|ci" >&2; exit 2 ;;
esac

if [ ${#packages[@]} -gt 0 ]; then
  sudo=
  if ! command -v apt-get >/dev/null; then
    echo "weft needs ${packages[*]} (Debian's names), and there is no apt-get here to install them." >&2
    exit 1
  elif [ "$(id -u)" -ne 0 ]; then
    if ! command -v sudo >/dev/null; then
      echo "weft needs ${packages[*]}: run 'apt-get install ${packages[*]}' as root." >&2
      exit 1
    fi
    sudo=sudo
  fi
  echo "Installing by apt: ${packages[*]}"
  log=$(mktemp)
  $sudo apt-get update -qq >"$log" 2>&1 &&
    $sudo env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends \
      "${packages[@]}" >>"$log" 2>&1 || { cat "$log" >&2; exit 1; }
  rm -f "$log"
fi

at_least() { # at_least NAME MINIMUM VERSION
  if [ "$(printf '%s\n' "$2" "$3" | sort -V | head -1)" != "$2" ]; then
    echo "weft needs $1 $2 or newer, this is $3." >&2
    exit 1
  fi
}
at_least cmake 3.23 "$(cmake --version | sed -n 's/cmake version //p')"
[ -n "${CXX:-}" ] || at_least g++ 12 "$(g++ -dumpfullversion)"
