#!/usr/bin/env bash
# Checks the format of every source file and the names in weft's headers; --fix formats instead.
set -euo pipefail
cd "$(dirname "$0")/.."

mapfile -t files < <(find include tests examples bench \( -name '*.hpp' -o -name '*.cpp' -o -name '*.cu' -o -name '*.cuh' \) | sort)
if [ "${1:-}" = --fix ]; then
  clang-format -i "${files[@]}"
  exit
fi
clang-format --dry-run -Werror "${files[@]}"
clang-tidy --quiet include/weft/weft.hpp -- -x c++ -std=c++20 -Iinclude 2>/dev/null
echo "format and names: ${#files[@]} files"
