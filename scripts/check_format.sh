#!/usr/bin/env bash
# Checks the format of every source file and the names in weft's headers; --fix formats instead.
set -euo pipefail
cd "$(dirname "$0")/.."

version=14.0.6 # of clang-format, Debian 12's: others format differently
is_right() { command -v "$1" >/dev/null && [[ $("$1" --version) == *" $version"* ]]; }
format=clang-format
if ! is_right $format; then
  format=build/venv/bin/clang-format
  is_right $format || scripts/setup_python.sh "clang-format==$version"
  is_right $format || { echo "format: no clang-format $version, neither in PATH nor from PyPI" >&2; exit 1; }
fi

mapfile -t files < <(find include tests examples bench \( -name '*.hpp' -o -name '*.cpp' -o -name '*.cu' -o -name '*.cuh' \) | sort)
if [ "${1:-}" = --fix ]; then
  $format -i "${files[@]}"
  exit
fi
$format --dry-run -Werror "${files[@]}"
clang-tidy --quiet include/weft/weft.hpp -- -x c++ -std=c++20 -Iinclude 2>/dev/null
echo "format and names: ${#files[@]} files"
