#!/usr/bin/env bash
# A Slurm of two nodes on this machine, for the length of a test: `slurm.sh MEET [RANKS]` starts the
# first program on four ranks by srun, alone and in a batch script, where mpirun is tried too, and the
# second, a program with MPI, by srun --mpi=pmix. Exit code 77 where Slurm and munge are not installed
# or this is not root.
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail
export PATH="$PATH:/usr/sbin"
for program in srun sbatch slurmctld slurmd munged; do
  if ! command -v $program >/dev/null; then
    echo "skipped: no $program found (Debian: slurm-wlm, munge)"
    exit 77
  fi
done
if [ "$(id -u)" -ne 0 ] || [ ! -f /etc/munge/munge.key ]; then
  echo "skipped: slurmd needs root, and munge its key"
  exit 77
fi
folder=$(mktemp -d)
chmod 755 "$folder"
daemons=()
clean() {
  for ((i = ${#daemons[@]} - 1; i >= 0; --i)); do # munged, which the others need to end, is the last
    kill "${daemons[i]}" 2>/dev/null || true
    for ((n = 0; n < 30; ++n)); do kill -0 "${daemons[i]}" 2>/dev/null || break; sleep 0.1; done
    kill -9 "${daemons[i]}" 2>/dev/null || true
  done
  rm -rf "$folder"
}
trap clean EXIT
mkdir "$folder/munge"
chown munge "$folder/munge"
setpriv --reuid=munge --regid=munge --clear-groups munged --foreground --socket="$folder/munge/socket" \
  --pid-file="$folder/munge/pid" --log-file="$folder/munge/log" --seed-file="$folder/munge/seed" \
  2>"$folder/munged.log" & daemons+=($!)
port=$((18000 + $$ % 1000 * 3))
export SLURM_CONF="$folder/slurm.conf"
cat >"$SLURM_CONF" <<END
ClusterName=one
SlurmctldHost=$(hostname -s)(127.0.0.1)
SlurmctldPort=$port
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket=$folder/munge/socket
StateSaveLocation=$folder
SlurmdSpoolDir=$folder/%n
SlurmctldPidFile=$folder/slurmctld.pid
SlurmdPidFile=$folder/%n.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SlurmdParameters=config_overrides
NodeName=n[1-2] NodeHostname=$(hostname -s) NodeAddr=127.0.0.1 Port=$((port + 1))-$((port + 2)) CPUs=8 State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES State=UP
END
while [ ! -S "$folder/munge/socket" ]; do sleep 0.1; done
slurmctld -D >"$folder/slurmctld.log" 2>&1 & daemons+=($!)
for node in n1 n2; do
  mkdir "$folder/$node"
  slurmd -D -N $node >"$folder/$node.log" 2>&1 & daemons+=($!)
done
for ((i = 0; i < 100; ++i)); do
  if [ "$(sinfo --noheader --format=%T --Node 2>/dev/null | grep -c idle)" = 2 ]; then break; fi
  sleep 0.1
done

# The nodes' names lead to no address here; those of a cluster do.
export MASTER_ADDR=127.0.0.1
unset WEFT_PORT MASTER_PORT RANK WORLD_SIZE
expected=$(printf 'rank %d of 4, %d of 2\n' 0 0 1 0 2 1 3 1)
failed=0
check() { # check NAME COMMAND...
  local name=$1 found
  shift
  found=$(timeout 40 "$@" 2>"$folder/errors" | sort) || true
  if [ "$found" = "$expected" ]; then
    echo "$name: ok"
  else
    echo "$name: FAILED: $found"
    tail -5 "$folder/errors" "$folder"/*.log
    failed=1
  fi
}
check "one node" srun --nodes=1 --ntasks=4 "$1"
check "two nodes" srun --nodes=2 --ntasks=4 "$1"
printf '#!/bin/bash\nsrun --ntasks=4 %q\n' "$1" >"$folder/batch"
check "batch script" salloc --nodes=2 --ntasks=4 bash "$folder/batch"
if command -v mpirun >/dev/null && mpirun --version | grep -q "Open MPI"; then
  # Its ranks inherit the variables of the step of two that mpirun starts its own processes with.
  check "mpirun in a job" env MASTER_PORT=$((port + 3000)) salloc --nodes=2 --ntasks=4 \
    mpirun --allow-run-as-root --oversubscribe -n 4 -x MASTER_ADDR -x MASTER_PORT "$1"
fi
if [ $# -gt 1 ] && srun --mpi=list 2>&1 | grep -q pmix; then
  said=$(timeout 20 srun --nodes=1 --ntasks=4 "$2" collectives 2>&1) || true
  if [[ "$said" == *"expected srun --mpi=pmix"* ]]; then echo "srun without PMIx: ok"; else
    echo "srun without PMIx: FAILED: $said"
    failed=1
  fi
  said=$(timeout 60 srun --mpi=pmix --nodes=1 --ntasks=4 "$2" --source-file=*several_ranks/collectives.cpp 2>&1) || true
  if [[ "$said" == *SUCCESS*"4 ranks"* && "$said" != *ERROR* ]]; then echo "srun --mpi=pmix: ok"; else
    echo "srun --mpi=pmix: FAILED: $said"
    failed=1
  fi
fi
exit $failed
