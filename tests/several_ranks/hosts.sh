#!/usr/bin/env bash
# Two hosts on one machine, as network namespaces joined by a cable: `hosts.sh PROGRAM` starts two
# ranks on each, as torchrun would. Exit code 77 where namespaces are not permitted.
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail
a=weft_a_$$ b=weft_b_$$
clean() { ip netns del "$a" 2>/dev/null || true; ip netns del "$b" 2>/dev/null || true; }
trap clean EXIT
if ! { ip netns add "$a" && ip netns add "$b" &&
       ip link add "va$$" netns "$a" type veth peer name "vb$$" netns "$b"; } 2>/dev/null; then
  echo "skipped: network namespaces are not permitted here"
  exit 77
fi
ip -n "$a" addr add 10.83.7.1/24 dev "va$$" && ip -n "$a" link set "va$$" up && ip -n "$a" link set lo up
ip -n "$b" addr add 10.83.7.2/24 dev "vb$$" && ip -n "$b" link set "vb$$" up && ip -n "$b" link set lo up

export WORLD_SIZE=4 MASTER_ADDR=10.83.7.1 MASTER_PORT=29511
unset WEFT_PORT TORCHELASTIC_USE_AGENT_STORE
ranks=()
for rank in 0 1 2 3; do
  host=$([ $rank -lt 2 ] && echo "$a" || echo "$b")
  RANK=$rank LOCAL_RANK=$((rank % 2)) ip netns exec "$host" "$1" & ranks+=($!)
done
failed=0
for pid in "${ranks[@]}"; do wait "$pid" || failed=1; done
exit $failed
