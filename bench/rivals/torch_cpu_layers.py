#!/usr/bin/env python3
"""The steps of bench/cpu_layers.cpp in PyTorch: torch_cpu_layers.py THREADS SECONDS [cnn|mobilenet]."""
import json
import sys
import time

import torch
from torch import nn
from torch.nn import functional as F

THREADS, SECONDS = int(sys.argv[1]), float(sys.argv[2])
torch.set_num_threads(THREADS)


class Cnn(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1, self.conv2 = nn.Conv2d(1, 16, 3, padding=1), nn.Conv2d(16, 32, 3, padding=1)
        self.fc1, self.fc2 = nn.Linear(32 * 49, 128), nn.Linear(128, 10)

    def forward(self, x):
        x = F.max_pool2d(F.relu(self.conv1(x)), 2)
        x = F.max_pool2d(F.relu(self.conv2(x)), 2)
        return self.fc2(F.relu(self.fc1(x.flatten(1))))


def mobilenet():
    from torchvision import models

    net = models.mobilenet_v3_small(num_classes=10)
    net.features[0][0].stride = (1, 1)
    return net


def step(name, net, shape, last):
    form = torch.channels_last if last else torch.contiguous_format
    net = net.to(memory_format=form)
    x = torch.randn(shape).to(memory_format=form)
    y = torch.arange(shape[0]) % 10
    optimizer = torch.optim.SGD(net.parameters(), lr=1e-3, momentum=0.9, foreach=True)
    start, times, used = time.perf_counter(), [], []
    while len(times) < 5 or time.perf_counter() - start < SECONDS:
        begin, cpu = time.perf_counter(), time.process_time()
        optimizer.zero_grad()
        F.cross_entropy(net(x), y).backward()
        optimizer.step()
        times.append(time.perf_counter() - begin)
        used.append(time.process_time() - cpu)
    print(json.dumps({"case": name + ("_last" if last else ""), "who": "PyTorch", "threads": THREADS,
                      "ms": round(min(times[2:]) * 1e3, 3), "cpu_ms": round(min(used[2:]) * 1e3, 3)}), flush=True)


if __name__ == "__main__":
    only = sys.argv[3] if len(sys.argv) > 3 else ""
    for last in (False, True):
        if only in ("", "cnn"):
            step("cnn_step", Cnn(), (64, 1, 28, 28), last)
        if only in ("", "mobilenet"):
            step("mobilenet_step", mobilenet(), (64, 3, 32, 32), last)
