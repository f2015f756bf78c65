#!/usr/bin/env bash
# Training that goes on with fewer ranks: `resume.sh MPIRUN... -- PROGRAM` starts PROGRAM on four
# ranks, of which one dies, and then on three, which begin at the checkpoint of the four.
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail
run=()
while [ "$1" != -- ]; do run+=("$1"); shift; done
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"${run[@]}" -n 4 "$2" resume "$folder/checkpoint" || true # some return 0 all the same
"${run[@]}" -n 3 "$2" resume "$folder/checkpoint"
