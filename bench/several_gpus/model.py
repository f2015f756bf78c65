#!/usr/bin/env python3
"""A model of a training step on many GPUs: computing measured, the network as latency and bandwidth.

    python3 bench/several_gpus/model.py results/dist-h200.csv [results/dist-4.csv]

Fits the two numbers of the host's links (alpha, the latency of one step of a ring, and beta, the bytes a
second of one GPU's link) to the all_reduce times in the files that run.py has written, each by itself, as
a ring of more GPUs uses more of a host's links. Compares what they say of the steps in the same file and in
those of more GPUs, and predicts 8 to 1,024 from the largest: 8 a host, hosts joined by one 400 Gb/s port a GPU.
Ring:         t(n, b) = 2 (n - 1) (alpha + b / n / beta).
Flat: one ring over all GPUs, which leaves each host by one port. (NCCL makes as many rings as there are
ports, and comes near to the next.)
Hierarchical: reduce_scatter in the host, a ring of each eighth over the hosts, all_gather in the host.
Buckets overlap with the backward pass: the step is over when the last bucket is, which cannot begin
before the backward pass ends, and each waits for the one before it. A collective takes multiprocessors
from the product that runs beside it, which then needs one more wave: the third number, a delay of the
computing for each collective that begins before the backward pass ends, fitted to one row (DDP, graph).
"""
import argparse
import csv
import math
from pathlib import Path

MEMORY = 4e12  # bytes a second of a GPU's own
PORT = (5e-6, 50e9)  # between hosts: seconds a step, bytes a second of a GPU's 400 Gb/s port
IN_HOST = 8
SIZES = (8, 16, 32, 64, 128, 256, 512, 1024)


def ring(n, size, links):
    """Seconds of an all_reduce of `size` bytes over n GPUs: `links` are a library's protocols, (alpha,
    beta) each, of which it takes the faster: flags beside the data for little, whole blocks for much."""
    return 0.0 if n == 1 else min(2 * (n - 1) * (alpha + size / n / beta) for alpha, beta in links)


def tree_or_ring(n, size, links):
    """NCCL's choice: a tree has log2 n steps of latency where the message is small."""
    if n == 1:
        return 0.0
    tree = min(2 * math.ceil(math.log2(n)) * alpha + 2 * size / beta for alpha, beta in links)
    return min(tree, ring(n, size, links))


def flat(n, size, host):
    """One ring or tree over all GPUs: the slowest link sets the pace."""
    if n <= IN_HOST:
        return tree_or_ring(n, size, host)
    return tree_or_ring(n, size, [(max(PORT[0], alpha), min(PORT[1], beta)) for alpha, beta in host])


def hierarchical(n, size, host):
    if n <= IN_HOST:
        return tree_or_ring(n, size, host)
    return ring(IN_HOST, size, host) + tree_or_ring(n // IN_HOST, size / IN_HOST, [PORT])


def parts_of(compute, size):
    """Seconds of the forward pass, the backward pass and AdamW's step, which moves 28 bytes a parameter."""
    optimizer = size / 4 * 28 / MEMORY
    return (compute - optimizer) / 3, (compute - optimizer) * 2 / 3, optimizer


def step(n, compute, buckets, host, all_reduce, crowding=0.0, half=False):
    """Seconds of a step; `buckets` are (share of the backward pass after which it is ready, bytes of
    float gradients). With `half` they are sent as bfloat16: half the bytes, rounded and widened on the way."""
    size = sum(b for _, b in buckets)
    forward, backward, optimizer = parts_of(compute, size)
    late = free = 0.0
    for ready, b in buckets if n > 1 else ():
        cast = 1.5 * b / MEMORY if half else 0
        free = max(free, forward + late + ready * backward + cast)
        free += all_reduce(n, b / 2 if half else b, host) + cast
        if ready < 1:
            late += crowding
    return max(free, forward + late + backward) + optimizer


def stage1(n, compute, size, host, all_reduce):
    """ZeRO 1, without overlap: reduce_scatter and all_gather are each half an all_reduce; the optimizer
    steps an n-th of the parameters."""
    forward, backward, optimizer = parts_of(compute, size)
    return forward + backward + optimizer / n + all_reduce(n, size, host)


def stage3(n, compute, buckets, host, all_reduce, crowding=0.0):
    """ZeRO 3: each Unit's weights are gathered beside the Unit before it, forward and backward, and its
    gradients are scattered beside the backward pass; each is half an all_reduce. What a pass cannot hide
    it waits for."""
    forward, backward, optimizer = parts_of(compute, sum(b for _, b in buckets))
    moved = sum(all_reduce(n, b, host) / 2 for _, b in buckets)
    first = all_reduce(n, buckets[0][1], host) / 2
    late = crowding * len(buckets)
    return (max(forward + late, moved) + max(backward + 2 * late, 2 * moved) + 2 * first + optimizer / n)


def read(path):
    lines = path.read_text().splitlines()
    gpus = int(lines[0].split()[1])
    return gpus, list(csv.DictReader(lines[1:])), "inputs' gradients first" in lines[0]


def fit(files):
    """The links' two protocols with the least relative error over the all_reduces in graphs, and that."""
    points = [(n, int(r["bytes"]), float(r["ms"]) / 1e3) for n, rows in files for r in rows
              if r["case"] == "all_reduce" and r["mode"] == "graph" and r["ms"]]
    lines = [(1e-6 * 10 ** (i / 20), 10e9 * 10 ** (k / 20)) for i in range(41) for k in range(41)]
    times = {line: [ring(n, b, [line]) for n, b, _ in points] for line in lines}

    def error(*chosen):
        return sum(abs(math.log(min(each) / t))
                   for (_, _, t), *each in zip(points, *(times[line] for line in chosen)))
    # Given one line the other is found by search, from a few starts by turns.
    best = None
    for start in lines[::97]:
        pair = [start, start]
        for turn in range(6):
            other = pair[1 - turn % 2]
            pair[turn % 2] = min(lines, key=lambda line, other=other: error(line, other))
        if best is None or error(*pair) < best[0]:
            best = error(*pair), pair
    return sorted(best[1]), math.exp(best[0] / len(points)) - 1


def fit_crowding(files, buckets, host):
    """The delay with which the model meets the MLP's step in buckets, on average over the files."""
    found = []
    for n, rows in files:
        times = {r["mode"]: float(r["ms"]) / 1e3 for r in rows if r["case"] == "mlp" and r["ms"]}
        if "DDP, graph" in times:
            one, measured = times["one GPU, graph"], times["DDP, graph"]
            found.append(min((i * 1e-6 for i in range(400)),
                             key=lambda c, n=n, one=one, measured=measured:
                             abs(step(n, one, buckets, host, flat, c) - measured)))
    return sum(found) / len(found) if found else 0.0


def table(name, compute, buckets, host, crowding):
    size = sum(b for _, b in buckets)
    print(f"\n{name}: {compute * 1e3:.2f} ms on one GPU, {size / 1e6:.0f} MB of gradients; efficiency")
    print(f"{'GPUs':>6} {'one port':>9} {'hierarchical':>13} {'bfloat16':>9} {'ZeRO 1':>7} {'ZeRO 3':>7}")
    for n in SIZES:
        times = (step(n, compute, buckets, host, flat, crowding),
                 step(n, compute, buckets, host, hierarchical, crowding),
                 step(n, compute, buckets, host, hierarchical, crowding, True),
                 stage1(n, compute, size, host, hierarchical),
                 stage3(n, compute, buckets, host, hierarchical, crowding))
        print(f"{n:>6}" + "".join(f"{compute / t:>{w}.2f}" for t, w in zip(times, (10, 14, 10, 8, 8))))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("files", nargs="*", type=Path)
    options = parser.parse_args()
    files, inputs_first = [], False
    for path in options.files:
        gpus, rows, inputs_first = read(path)
        files.append((gpus, rows))
    # Without a file: PyTorch's all_reduces on 2 and 4 H200s (bench/several_gpus/run.py prints ours).
    if not files:
        busbw = {2: {1: 25, 4: 68, 25: 197, 100: 252, 400: 293}, 4: {1: 28, 4: 84, 25: 222, 100: 289, 400: 322}}
        files = [(n, [{"case": "all_reduce", "mode": "graph", "bytes": mb << 20,
                       "ms": 2 * (n - 1) / n * (mb << 20) / g / 1e6} for mb, g in by.items()])
                 for n, by in busbw.items()]
    hosts = {}
    for n, rows in files:
        hosts[n], error = fit([(n, rows)])
        print(f"links of a host, of {n} GPUs: " + " or ".join(f"{alpha * 1e6:.1f} us a step and {beta / 1e9:.0f} GB/s"
                                                             for alpha, beta in hosts[n]) +
              f"; all_reduces within {100 * error:.0f} % on average")
    layers = [784 * 4096 + 4096, 4096 * 4096 + 4096, 4096 * 10 + 10]
    # In the order of the backward pass, by its operations: the last layer's gradients at once; of the middle
    # one's 33.6 M products of the 36.8 M of a sample the half that its weight needs is the first, or the last.
    mlp = [(0.01, 4 * layers[2]), (0.91 if inputs_first else 0.46, 4 * layers[1]), (1.0, 4 * layers[0])]
    at_once = [(1.0, 4 * sum(layers))]
    resnet = [(0.02, 2e6), (0.3, 25e6), (0.7, 17e6), (1.0, 3e6)]  # 11.7 M parameters
    deep = [(i / 12 + 1 / 12, 4 * (4096 * 4096 + 4096)) for i in range(12)]
    one, crowding, worst = None, 0.0, {}
    for n, rows, known in [(n, rows, known) for n, rows in files for known in hosts if known <= n]:
        host = hosts[known]
        crowding = fit_crowding([file for file in files if file[0] == known], mlp, host)
        times = {(r["case"], r["mode"]): float(r["ms"]) / 1e3 for r in rows if r["ms"]}
        said = {}
        if ("mlp", "one GPU, graph") in times:
            one = times["mlp", "one GPU, graph"]
            said["mlp", "DDP, graph"] = step(n, one, mlp, host, flat, crowding)
            said["mlp", "DDP, graph, one bucket"] = step(n, one, at_once, host, flat)
            said["mlp", "DDP, graph, bfloat16 gradients"] = step(n, one, mlp, host, flat, crowding, True)
            said["mlp", "DDP, graph, bfloat16, one bucket"] = step(n, one, at_once, host, flat, 0, True)
        if ("resnet18", "one GPU, graph") in times:
            alone = times["resnet18", "one GPU, graph"]
            said["resnet18", "DDP, graph"] = step(n, alone, resnet, host, flat, crowding)
        if ("zero", "whole, graph") in times:  # what computing takes is found from the whole one
            whole = times["zero", "whole, graph"]
            alone = min((i * 1e-5 for i in range(1, 10000)), key=lambda c, n=n, whole=whole: abs(
                step(n, c, deep, host, flat, crowding) - whole))
            said["zero", "stage 1, graph"] = stage1(n, alone, sum(b for _, b in deep), host, flat)
            said["zero", "stage 3, graph"] = stage3(n, alone, deep, host, flat, crowding)
        for name, seconds in said.items():
            if name in times:
                off = seconds / times[name] - 1
                worst[n, known] = max(worst.get((n, known), 0), abs(off))
                print(f"{name[0]:9} {name[1]:33} {n} GPUs from {known}: {seconds * 1e3:7.3f} ms by the model, "
                      f"{times[name] * 1e3:7.3f} measured, {100 * off:+.0f} %")
    for (n, known), off in worst.items():
        print(f"largest error of a step on {n} GPUs, from what {known} gave: {100 * off:.0f} %")
    print(f"a collective beside the backward pass delays it by {crowding * 1e6:.0f} us")
    host = hosts[max(hosts)]
    table("MLP 784-4096-4096-10, 1024 samples a GPU", one or 1.32e-3, mlp, host, crowding)
    buckets = [(i / 40 + 0.025, 25e6) for i in range(40)]
    table("a network of 250 M parameters in 40 buckets", 0.1, buckets, host, crowding)
    buckets = [(i / 80 + 0.0125, 350e6) for i in range(80)]
    table("a network of 7 G parameters in 80 Units, 4096 words a GPU", 0.45, buckets, host, crowding)


if __name__ == "__main__":
    main()
