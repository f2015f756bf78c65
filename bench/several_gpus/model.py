#!/usr/bin/env python3
"""A model of a training step on many GPUs: computing measured, the network as latency and bandwidth.

    python3 bench/several_gpus/model.py results/dist-2.csv [results/dist-4.csv]

Fits the two numbers of the host's links (alpha, the latency of one step of a ring, and beta, the bytes a
second of one GPU's link) to the all_reduce times in the files that run.py has written, compares what it
says of the MLP's step there, and predicts 8 to 1,024 GPUs: 8 a host, hosts joined by one 400 Gb/s port a
GPU. Ring:         t(n, b) = 2 (n - 1) (alpha + b / n / beta).
Flat: one ring over all GPUs, which leaves each host by one port. (NCCL makes as many rings as there are
ports, and comes near to the next.)
Hierarchical: reduce_scatter in the host, a ring of each eighth over the hosts, all_gather in the host.
Buckets overlap with the backward pass: the step is over when the last bucket is, which cannot begin
before the backward pass ends, and each waits for the one before it.
"""
import argparse
import csv
import math
from pathlib import Path

PORT = (5e-6, 50e9)  # between hosts: seconds a step, bytes a second of a GPU's 400 Gb/s port
IN_HOST = 8
SIZES = (8, 16, 32, 64, 128, 256, 512, 1024)


def ring(n, size, alpha, beta):
    """Seconds of an all_reduce of `size` bytes over n GPUs."""
    return 0.0 if n == 1 else 2 * (n - 1) * (alpha + size / n / beta)


def tree_or_ring(n, size, alpha, beta):
    """NCCL's choice: a tree has log2 n steps of latency where the message is small."""
    if n == 1:
        return 0.0
    tree = 2 * math.ceil(math.log2(n)) * alpha + 2 * size / beta
    return min(tree, ring(n, size, alpha, beta))


def flat(n, size, host):
    """One ring or tree over all GPUs: the slowest link sets the pace."""
    if n <= IN_HOST:
        return tree_or_ring(n, size, *host)
    return tree_or_ring(n, size, max(PORT[0], host[0]), min(PORT[1], host[1]))


def hierarchical(n, size, host):
    if n <= IN_HOST:
        return tree_or_ring(n, size, *host)
    hosts = n // IN_HOST
    return ring(IN_HOST, size, *host) + tree_or_ring(hosts, size / IN_HOST, *PORT)


def step(n, compute, buckets, host, all_reduce, backward=0.6):
    """Seconds of a step; `buckets` are (share of the backward pass after which it is ready, bytes)."""
    begin = compute * (1 - backward) * 0.8  # forward; a fifth of the rest is the optimizer's
    end_of_backward = begin + compute * backward
    optimizer = compute - end_of_backward
    free = 0.0
    for ready, size in buckets:
        free = max(free, begin + ready * compute * backward) + all_reduce(n, size, host)
    return max(free, end_of_backward) + optimizer


def sharded(n, compute, size, host, all_reduce):
    """ZeRO 1 without overlap: reduce_scatter and all_gather are each half an all_reduce; the optimizer
    steps an n-th of the parameters."""
    optimizer = 0.08 * compute
    return compute - optimizer + optimizer / n + all_reduce(n, size, host)


def read(path):
    lines = path.read_text().splitlines()
    gpus = int(lines[0].split()[1])
    return gpus, list(csv.DictReader(lines[1:]))


def fit(files):
    """(alpha, beta) with the least relative error over the all_reduces in a stream."""
    points = [(n, int(r["bytes"]), float(r["ms"]) / 1e3) for n, rows in files for r in rows
              if r["case"] == "all_reduce" and r["mode"] == "graph"]
    best = None
    for i in range(121):
        alpha = 1e-6 * 10 ** (i / 60)  # 1 to 100 us
        # Given alpha, the beta that fits is found by search too: the error has one minimum.
        for k in range(101):
            beta = 20e9 * 10 ** (k / 60)
            error = sum(abs(math.log(ring(n, b, alpha, beta) / t)) for n, b, t in points)
            if best is None or error < best[0]:
                best = error, alpha, beta
    error, alpha, beta = best
    return alpha, beta, math.exp(error / len(points)) - 1


def table(name, compute, size, buckets, host):
    print(f"\n{name}: {compute * 1e3:.2f} ms on one GPU, {size / 1e6:.0f} MB of gradients; efficiency")
    print(f"{'GPUs':>6} {'one port':>8} {'hierarchical':>13} {'sharded, hier.':>15}")
    for n in SIZES:
        times = (step(n, compute, buckets, host, flat), step(n, compute, buckets, host, hierarchical),
                 sharded(n, compute, size, host, hierarchical))
        print(f"{n:>6} {compute / times[0]:>8.2f} {compute / times[1]:>13.2f} {compute / times[2]:>15.2f}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("files", nargs="*", type=Path)
    options = parser.parse_args()
    files = [read(path) for path in options.files]
    # Without a file: PyTorch's all_reduces on 2 and 4 H200s (bench/several_gpus/run.py prints ours).
    if not files:
        busbw = {2: {1: 25, 4: 68, 25: 197, 100: 252, 400: 293}, 4: {1: 28, 4: 84, 25: 222, 100: 289, 400: 322}}
        files = [(n, [{"case": "all_reduce", "mode": "graph", "bytes": mb << 20,
                       "ms": 2 * (n - 1) / n * (mb << 20) / g / 1e6} for mb, g in by.items()])
                 for n, by in busbw.items()]
    alpha, beta, error = fit(files)
    host = alpha, beta
    print(f"links of a host: {alpha * 1e6:.1f} us a step, {beta / 1e9:.0f} GB/s; all_reduces within "
          f"{100 * error:.0f} % on average")
    layers = [784 * 4096 + 4096, 4096 * 4096 + 4096, 4096 * 10 + 10]
    total = 4 * sum(layers)
    # In the order of the backward pass: the last layer's at once, the middle one's by two thirds.
    mlp = [(0.05, 4 * layers[2]), (0.8, 4 * layers[1]), (1.0, 4 * layers[0])]
    one = None
    for n, rows in files:
        times = {r["mode"]: float(r["ms"]) / 1e3 for r in rows if r["case"] == "mlp"}
        if "one GPU, graph" not in times:
            continue
        one = times["one GPU, graph"]
        said, measured = step(n, one, mlp, host, flat), times["DDP, graph"]
        print(f"MLP on {n} GPUs: {said * 1e3:.3f} ms by the model, {measured * 1e3:.3f} measured, "
              f"{100 * (said / measured - 1):+.0f} %")
    table("MLP 784-4096-4096-10, 1024 samples a GPU", one or 1.32e-3, total, mlp, host)
    buckets = [(i / 40 + 0.025, 25e6) for i in range(40)]
    table("a network of 250 M parameters in 40 buckets", 0.1, 1e9, buckets, host)


if __name__ == "__main__":
    main()
