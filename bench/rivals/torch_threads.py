"""The statements of bench/threads.cpp in PyTorch: torch_threads.py THREADS SECONDS."""
import json
import sys
import time

import torch
import torch.nn.functional as F

THREADS, BUDGET = int(sys.argv[1]), float(sys.argv[2])
torch.set_num_threads(THREADS)


def measure(name, budget, f):
    for _ in range(3):
        f()
    times = []
    end = time.perf_counter() + budget
    while len(times) < 5 or time.perf_counter() < end:
        start = time.perf_counter()
        f()
        times.append(time.perf_counter() - start)
    times.sort()
    print(json.dumps({"case": name, "ms": times[len(times) // 2] * 1e3, "least": times[0] * 1e3}), flush=True)


def statements(suffix, rows, columns, budget):
    x, y = torch.rand(rows, columns) - 0.5, torch.rand(rows, columns)
    w, b = torch.rand(columns), torch.rand(columns)
    z = torch.zeros(rows, columns)
    s, c, one = torch.zeros(rows), torch.zeros(columns), torch.zeros(())
    turned = x.reshape(columns, rows).t()
    measure("chain" + suffix, budget, lambda: torch.tanh(x * y + 0.3) * torch.exp(-x * x) + 0.5)
    measure("axpy" + suffix, budget, lambda: torch.add(y, x, alpha=0.75, out=z))
    measure("softmax" + suffix, budget, lambda: torch.softmax(x, -1))
    measure("layer_norm" + suffix, budget, lambda: F.layer_norm(x, (columns,), w, b))
    measure("sum" + suffix, budget, lambda: torch.sum(x, dim=(0, 1), out=one))
    measure("rowsum" + suffix, budget, lambda: torch.sum(x, 1, out=s))
    measure("colsum" + suffix, budget, lambda: torch.sum(x, 0, out=c))
    measure("transpose" + suffix, budget, lambda: torch.add(turned, y, out=z))


def product(name, m, k, n, budget):
    x, y = torch.rand(m, k), torch.rand(k, n)
    z = torch.zeros(m, n)
    measure(name, budget, lambda: torch.mm(x, y, out=z))


def training(budget):
    torch.manual_seed(1)
    net = torch.nn.Sequential(torch.nn.Linear(784, 512), torch.nn.ReLU(), torch.nn.Linear(512, 512),
                              torch.nn.ReLU(), torch.nn.Linear(512, 10))
    optimizer = torch.optim.Adam(net.parameters())
    x, y = torch.rand(256, 784), torch.arange(256) % 10

    def step():
        optimizer.zero_grad()
        F.cross_entropy(net(x), y).backward()
        optimizer.step()
    measure("training", 2 * budget, step)


with torch.no_grad():
    statements("", 4096, 2048, BUDGET)
    statements("_small", 256, 256, BUDGET / 2)
    product("matmul 1024", 1024, 1024, 1024, BUDGET)
    product("matmul 256x784x512", 256, 784, 512, BUDGET)
    product("matmul 4096 by vector", 4096, 4096, 1, BUDGET)
training(BUDGET)
