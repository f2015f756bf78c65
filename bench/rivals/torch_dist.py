"""PyTorch's side of bench/several_gpus; started by torchrun, rank 0 prints lines of JSON.

Alone, as `python3 torch_dist.py data_parallel`, it times nn.DataParallel, which is one process.
"""
import json
import os
import statistics
import sys
import time

import torch
import torch.distributed as dist


def time_of(n, f):
    """The milliseconds of one call: the median of five rounds of n calls, on the slowest rank."""
    for _ in range(3):
        f()
    rounds = []
    for _ in range(5):
        dist.barrier()
        torch.cuda.synchronize()
        begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        begin.record()
        for _ in range(n):
            f()
        end.record()
        end.synchronize()
        rounds.append(begin.elapsed_time(end) / n)
    slowest = torch.tensor([statistics.median(rounds)], device="cuda")
    dist.all_reduce(slowest, dist.ReduceOp.MAX)
    return slowest.item()


def graph_of(f, warm_up=3):
    """f's work as a CUDA graph's replay."""
    stream = torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        for _ in range(warm_up):
            f()
    torch.cuda.current_stream().wait_stream(stream)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        f()
    return graph.replay


def report(**line):
    if dist.get_rank() == 0:
        print(json.dumps(line), flush=True)


def all_reduce(size):
    x = torch.zeros(size // 4, device="cuda")
    n = 100 if size <= 4 << 20 else 20 if size <= 100 << 20 else 10
    report(case="all_reduce", bytes=size, mode="stream", ms=time_of(n, lambda: dist.all_reduce(x)))

    def ten():
        for _ in range(10):
            dist.all_reduce(x)
    report(case="all_reduce", bytes=size, mode="graph", ms=time_of(n // 10, graph_of(ten)) / 10)


def mlp(parallel, graphed=False):
    """784-4096-4096-10 in batches of 1024 a GPU, TF32, AdamW."""
    torch.backends.cuda.matmul.allow_tf32 = True
    torch.manual_seed(1)
    linear, relu = torch.nn.Linear, torch.nn.ReLU
    net = torch.nn.Sequential(linear(784, 4096), relu(), linear(4096, 4096), relu(),
                              linear(4096, 10)).cuda()
    if parallel:
        stream = torch.cuda.Stream()  # DDP in a graph has to be made on a side stream
        with torch.cuda.stream(stream):
            net = torch.nn.parallel.DistributedDataParallel(net, [torch.cuda.current_device()],
                                                            gradient_as_bucket_view=True)
        torch.cuda.synchronize()
    x = torch.rand(1024, 784, device="cuda")
    y = torch.arange(1024, device="cuda") % 10
    optimizer = torch.optim.AdamW(net.parameters(), lr=1e-3, fused=True, capturable=graphed)

    def step():
        optimizer.zero_grad(set_to_none=not graphed)
        torch.nn.functional.cross_entropy(net(x), y).backward()
        optimizer.step()
    return time_of(20, graph_of(step, 11) if graphed else step)


def resnet(parallel, graphed=False):
    """ResNet-18 in batches of 64 a GPU, bfloat16, AdamW, the better of both memory formats."""
    from torchvision import models
    torch.backends.cudnn.benchmark = True
    times = []
    for form in (torch.contiguous_format, torch.channels_last):
        torch.manual_seed(1)
        net = models.resnet18().cuda().to(memory_format=form)
        if parallel:
            stream = torch.cuda.Stream()
            with torch.cuda.stream(stream):
                net = torch.nn.parallel.DistributedDataParallel(net, [torch.cuda.current_device()],
                                                                gradient_as_bucket_view=True)
            torch.cuda.synchronize()
        x = torch.rand(64, 3, 224, 224, device="cuda").to(memory_format=form)
        y = torch.arange(64, device="cuda")
        optimizer = torch.optim.AdamW(net.parameters(), lr=1e-3, fused=True, capturable=graphed)

        def step():
            optimizer.zero_grad(set_to_none=not graphed)
            with torch.autocast("cuda", torch.bfloat16, cache_enabled=not graphed):
                loss = torch.nn.functional.cross_entropy(net(x), y)
            loss.backward()
            optimizer.step()
        times.append(time_of(10, graph_of(step, 11) if graphed else step))
    return min(times)


def encoder(parallel, graphed=False):
    """8 layers of width 1024, 8 sequences of 512 a GPU, bfloat16, AdamW."""
    torch.backends.cuda.matmul.allow_tf32 = True
    torch.manual_seed(1)
    layer = torch.nn.TransformerEncoderLayer(1024, 16, 4096, batch_first=True)
    net = torch.nn.TransformerEncoder(layer, 8).cuda()
    if parallel:
        stream = torch.cuda.Stream()
        with torch.cuda.stream(stream):
            net = torch.nn.parallel.DistributedDataParallel(net, [torch.cuda.current_device()],
                                                            gradient_as_bucket_view=True)
        torch.cuda.synchronize()
    x = torch.randn(8, 512, 1024, device="cuda")
    optimizer = torch.optim.AdamW(net.parameters(), lr=1e-4, fused=True, capturable=graphed)

    def step():
        optimizer.zero_grad(set_to_none=not graphed)
        with torch.autocast("cuda", torch.bfloat16, cache_enabled=not graphed):
            loss = net(x).square().mean()
        loss.backward()
        optimizer.step()
    return time_of(10, graph_of(step, 11) if graphed else step)


def zero(kind):
    """12 layers of 4096 x 4096, batches of 2048 a GPU, TF32, AdamW: the step, and bytes a parameter."""
    from torch.distributed.fsdp import fully_shard
    torch.backends.cuda.matmul.allow_tf32 = True
    torch.manual_seed(1)
    x = torch.rand(2048, 4096, device="cuda")
    before = torch.cuda.memory_allocated()
    layers = [torch.nn.Linear(4096, 4096, device="cuda") for _ in range(12)]
    net = torch.nn.Sequential(*(m for layer in layers for m in (layer, torch.nn.ReLU())))
    count = sum(p.numel() for p in net.parameters())
    if kind == "whole":
        net = torch.nn.parallel.DistributedDataParallel(net, [torch.cuda.current_device()],
                                                        gradient_as_bucket_view=True)
    else:
        for layer in layers:
            fully_shard(layer, reshard_after_forward=kind == "stage 3")
        fully_shard(net, reshard_after_forward=kind == "stage 3")
    optimizer = torch.optim.AdamW(net.parameters(), lr=1e-4, fused=True)

    def step():
        optimizer.zero_grad(set_to_none=True)
        net(x).square().mean().backward()
        optimizer.step()
    step()
    step()
    torch.cuda.synchronize()
    torch.cuda.reset_peak_memory_stats()
    step()
    torch.cuda.synchronize()
    held, peak = ((f() - before) / count for f in (torch.cuda.memory_allocated,
                                                   torch.cuda.max_memory_allocated))
    report(case="zero", mode=f"{kind}, statements", ms=time_of(10, step), held=held, peak=peak)


def data_parallel():
    """nn.DataParallel, one process: the MLP's step on one GPU and on all."""
    torch.backends.cuda.matmul.allow_tf32 = True
    for mode, gpus in (("one GPU, statements", 1), ("all GPUs, statements", torch.cuda.device_count())):
        torch.manual_seed(1)
        linear, relu = torch.nn.Linear, torch.nn.ReLU
        net = torch.nn.Sequential(linear(784, 4096), relu(), linear(4096, 4096), relu(),
                                  linear(4096, 10)).cuda()
        model = torch.nn.DataParallel(net, list(range(gpus))) if gpus > 1 else net
        x = torch.rand(1024 * gpus, 784, device="cuda")
        y = torch.arange(1024 * gpus, device="cuda") % 10
        optimizer = torch.optim.AdamW(net.parameters(), lr=1e-3, fused=True)
        times = []
        for i in range(6):
            torch.cuda.synchronize()
            begin = time.perf_counter()
            for _ in range(20):
                optimizer.zero_grad(set_to_none=True)
                torch.nn.functional.cross_entropy(model(x), y).backward()
                optimizer.step()
            torch.cuda.synchronize()
            times.append(1e3 * (time.perf_counter() - begin) / 20)
        print(json.dumps({"case": "data_parallel", "mode": mode, "ms": statistics.median(times[1:])}),
              flush=True)


def attempt(f, *arguments):
    """f(...), or a line about what it could not."""
    try:
        return f(*arguments)
    except Exception as error:  # the other rows are wanted all the same
        if dist.get_rank() == 0:
            print(f"PyTorch, {f.__name__}{arguments}: {error}", file=sys.stderr, flush=True)
        return None


def main():
    # As PyTorch's notes ask for where collectives are captured.
    os.environ.setdefault("TORCH_NCCL_ASYNC_ERROR_HANDLING", "0")
    torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
    dist.init_process_group("nccl")
    report(case="about", torch=torch.__version__, nccl=".".join(map(str, torch.cuda.nccl.version())))
    for kb in (4, 64, 256, 1024, 4096, 25600, 102400, 409600):
        all_reduce(kb * 1024)
    for name, f in (("mlp", mlp), ("encoder", encoder), ("resnet18", resnet)):
        for mode, arguments in (("one GPU, statements", (False,)), ("one GPU, graph", (False, True)),
                                ("DDP, statements", (True,)), ("DDP, graph", (True, True))):
            ms = attempt(f, *arguments)
            if ms is not None:
                report(case=name, mode=mode, ms=ms)
    for kind in ("whole", "stage 2", "stage 3"):
        attempt(zero, kind)
    dist.destroy_process_group()


if __name__ == "__main__":
    if sys.argv[1:] == ["data_parallel"]:
        data_parallel()
    else:
        main()
