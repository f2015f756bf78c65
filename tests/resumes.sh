#!/bin/bash
# Whether a program that trains prints the same when it was interrupted after epoch 3 and resumed:
# resumes.sh PROGRAM.
# SPDX-License-Identifier: Apache-2.0
set -eu
TMPDIR=$(mktemp -d)
export TMPDIR
trap 'rm -rf "$TMPDIR"' EXIT
{ "$1" --stop 3 && "$1" --resume; } | grep '^epoch' | grep -v resumed > "$TMPDIR/parts"
"$1" | grep '^epoch' > "$TMPDIR/whole"
test "$(wc -l < "$TMPDIR/whole")" -gt 3
diff "$TMPDIR/whole" "$TMPDIR/parts"
