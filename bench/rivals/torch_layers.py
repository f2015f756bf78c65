#!/usr/bin/env python3
"""PyTorch's times, in milliseconds, for the cases of bench/layers.cu: eager, and steps as CUDA graphs.

Prints lines of JSON as that program does; steps need torchvision.
"""
import json
import statistics

import torch
from torch import nn
from torch.nn import functional as F

torch.backends.cuda.matmul.allow_tf32 = True
torch.backends.cudnn.allow_tf32 = True
torch.backends.cudnn.benchmark = True


def report(name, f, runs=50):
    for _ in range(5):
        f()
    torch.cuda.synchronize()
    times = []
    for _ in range(runs):
        begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        begin.record()
        f()
        end.record()
        end.synchronize()
        times.append(begin.elapsed_time(end))
    print(json.dumps({"case": name, "who": "PyTorch", "ms": round(statistics.median(times), 6)}), flush=True)


def convolutions():
    layers = {"conv3x3": ((128, 64, 56, 56), (64, 64, 3, 3), dict(padding=1)),
              "conv1x1": ((128, 256, 56, 56), (64, 256, 1, 1), {}),
              "depthwise3": ((128, 96, 28, 28), (96, 1, 3, 3), dict(padding=1, groups=96)),
              "depthwise5": ((128, 240, 14, 14), (240, 1, 5, 5), dict(padding=2, groups=240))}
    for name, (image, weight, options) in layers.items():
        for kind, dtype, form in [("tf32", torch.float32, torch.contiguous_format),
                                  ("bf16_last", torch.bfloat16, torch.channels_last)]:
            x = torch.randn(image, device="cuda", dtype=dtype).to(memory_format=form).requires_grad_()
            w = torch.randn(weight, device="cuda", dtype=dtype).to(memory_format=form).requires_grad_()
            g = torch.randn_like(F.conv2d(x, w, **options))

            def forward():
                with torch.no_grad():
                    F.conv2d(x, w, **options)

            def both():
                x.grad = w.grad = None
                F.conv2d(x, w, **options).backward(g)

            report(f"{name}_{kind}", forward)
            report(f"{name}_{kind}_both", both)


def convolutions_relu():
    for name, dtype, form in [("conv3x3_relu_tf32", torch.float32, torch.contiguous_format),
                              ("conv3x3_relu_bf16_last", torch.bfloat16, torch.channels_last)]:
        x = torch.randn(128, 64, 56, 56, device="cuda", dtype=dtype).to(memory_format=form)
        w = torch.randn(64, 64, 3, 3, device="cuda", dtype=dtype).to(memory_format=form)
        b = torch.randn(64, device="cuda", dtype=dtype)
        with torch.no_grad():
            report(name + " (eager)", lambda: F.relu(F.conv2d(x, w, b, padding=1)))
            report(name, lambda: torch.cudnn_convolution_relu(x, w, b, (1, 1), (1, 1), (1, 1), 1))


def layers():
    x = torch.randn(128, 64, 112, 112, device="cuda")
    report("max_pool3", lambda: F.max_pool2d(x, 3, 2, 1))
    pooled = x.clone().requires_grad_()
    up = torch.randn(128, 64, 56, 56, device="cuda")

    def pool():
        pooled.grad = None
        F.max_pool2d(pooled, 3, 2, 1).backward(up)

    report("max_pool3_both", pool)
    norms("batch_norm_relu", x)
    norms("batch_norm_relu_last", x.to(memory_format=torch.channels_last))


def norms(name, x):
    norm, leaf, g = nn.BatchNorm2d(64).cuda(), x.clone().requires_grad_(), torch.randn_like(x)

    def run():
        leaf.grad = None
        norm.zero_grad()
        F.relu(norm(leaf)).backward(g)

    report(name, run)
    compiled = torch.compile(lambda v: F.relu(norm(v)))

    def fused():
        leaf.grad = None
        norm.zero_grad()
        compiled(leaf).backward(g)

    report(name + " (compile)", fused)


class Cnn(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1, self.conv2 = nn.Conv2d(3, 16, 3, padding=1), nn.Conv2d(16, 32, 3, padding=1)
        self.fc1, self.fc2 = nn.Linear(32 * 64, 128), nn.Linear(128, 10)

    def forward(self, x):
        x = F.max_pool2d(F.relu(self.conv1(x)), 2)
        x = F.max_pool2d(F.relu(self.conv2(x)), 2)
        return self.fc2(F.relu(self.fc1(x.flatten(1))))


def step(name, net, shape, classes, form=torch.contiguous_format):
    net = net.cuda().to(memory_format=form)
    x = torch.randn(shape, device="cuda").to(memory_format=form)
    y = torch.arange(shape[0], device="cuda") % classes
    optimizer = torch.optim.SGD(net.parameters(), lr=1e-3, momentum=0.9, foreach=True)

    def run():
        optimizer.zero_grad(set_to_none=False)
        F.cross_entropy(net(x), y).backward()
        optimizer.step()

    report(name + " (eager)", run, 20)
    torch.cuda.reset_peak_memory_stats()
    run()
    torch.cuda.synchronize()
    print(json.dumps({"memory": name, "who": "PyTorch",
                      "mib": round(torch.cuda.max_memory_allocated() / 2**20, 1)}), flush=True)
    stream = torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        for _ in range(3):
            run()
    torch.cuda.current_stream().wait_stream(stream)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        run()
    report(name, graph.replay, 20)


if __name__ == "__main__":
    convolutions()
    convolutions_relu()
    layers()
    torch.cuda.empty_cache()
    step("cnn_step", Cnn(), (256, 3, 32, 32), 10)
    from torchvision import models
    step("mobilenet_step", models.mobilenet_v3_small(num_classes=10), (256, 3, 32, 32), 10)
    step("mobilenet_step_last", models.mobilenet_v3_small(num_classes=10), (256, 3, 32, 32), 10,
         torch.channels_last)
    step("resnet18_step", models.resnet18(), (64, 3, 224, 224), 1000)
    step("resnet18_step_last", models.resnet18(), (64, 3, 224, 224), 1000, torch.channels_last)
