"""PyTorch's side of bench/several_gpus/dist.cu; started by torchrun, rank 0 prints lines of JSON."""
import json
import os
import statistics

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


def main():
    # As PyTorch's notes ask for where collectives are captured.
    os.environ.setdefault("TORCH_NCCL_ASYNC_ERROR_HANDLING", "0")
    torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
    dist.init_process_group("nccl")
    for kb in (64, 256, 1024, 4096, 25600, 102400, 409600):
        all_reduce(kb * 1024)
    report(case="mlp", mode="one GPU, statements", ms=mlp(False))
    report(case="mlp", mode="one GPU, graph", ms=mlp(False, True))
    report(case="mlp", mode="DDP, statements", ms=mlp(True))
    report(case="mlp", mode="DDP, graph", ms=mlp(True, True))
    report(case="about", torch=torch.__version__, nccl=".".join(map(str, torch.cuda.nccl.version())))
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
