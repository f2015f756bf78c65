#!/usr/bin/env bash
# Makes build/venv with the Python packages that optional tests use; where PyPI cannot be reached
# these tests are skipped, and this says so.
set -euo pipefail
cd "$(dirname "$0")/.."

packages=("$@")
[ $# -gt 0 ] || packages=(numpy nanobind tensorboard conan)
python=build/venv/bin/python
if [ ! -x $python ]; then
  python3 -m venv build/venv || { echo "skipped: python3 cannot make a venv (Debian: python3-venv)"; exit 0; }
fi
missing=()
for package in "${packages[@]}"; do
  $python -m pip show -q "$package" >/dev/null 2>&1 || missing+=("$package")
done
[ ${#missing[@]} -eq 0 ] && exit 0
echo "Installing by pip into build/venv: ${missing[*]}"
timeout 300 $python -m pip install -q --disable-pip-version-check "${missing[@]}" ||
  echo "skipped: what needs ${missing[*]} from PyPI is not tested"
