"""PyTorch's steps for the cases of bench/training.cu: what each case's step is, ready to be timed.

Run as a program it times the MLP's step on the CPU, as bench/cpu_training.cpp does.
"""
import statistics
import time

import torch


def weights():
    """As many tensors and weights as there."""
    shapes = [shape for i in range(47) for shape in ((16 * (1 + i % 12), 304), (16 * (1 + i % 12),),
                                                     (16 * (1 + i % 12),))]
    return [torch.rand(shape, device="cuda").requires_grad_() for shape in [*shapes, (10, 1024)]]


def adamw():
    parameters = weights()
    for p in parameters:
        p.grad = torch.rand_like(p)
    return torch.optim.AdamW(parameters, lr=1e-3, weight_decay=1e-2, fused=True).step


def mlp(graphed, device="cuda"):
    """784-512-512-10 in batches of 256, with Adam and TF32; as one CUDA graph where asked."""
    torch.backends.cuda.matmul.allow_tf32 = True
    net = torch.nn.Sequential(torch.nn.Linear(784, 512), torch.nn.ReLU(), torch.nn.Linear(512, 512),
                              torch.nn.ReLU(), torch.nn.Linear(512, 10)).to(device)
    x, y = torch.rand(256, 784, device=device), torch.arange(256, device=device) % 10
    optimizer = torch.optim.Adam(net.parameters(), capturable=graphed, fused=graphed)

    def step():
        optimizer.zero_grad(set_to_none=not graphed)
        loss = torch.nn.functional.cross_entropy(net(x), y)
        loss.backward()
        optimizer.step()
        return loss

    if not graphed:
        return step
    stream = torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        for _ in range(3):
            step()
    torch.cuda.current_stream().wait_stream(stream)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        step()
    return graph.replay


STEPS = {"adamw_142": adamw, "adamw_142_arena": adamw, "mlp": lambda: mlp(False),
         "mlp_arena": lambda: mlp(False), "mlp_graphed": lambda: mlp(True),
         "mlp_graphed_arena": lambda: mlp(True)}


def time_on_cpu(seconds=4):
    step, times = mlp(False, "cpu"), []
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        begin = time.perf_counter()
        step()
        times.append(1e3 * (time.perf_counter() - begin))
    print(f"PyTorch {torch.__version__}, {torch.get_num_threads()} threads: "
          f"median {statistics.median(times):.2f} ms, least {min(times):.2f} ms")


if __name__ == "__main__":
    time_on_cpu()
