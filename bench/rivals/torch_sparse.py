#!/usr/bin/env python3
"""PyTorch's and CuPy's times for the cases of bench/sparse.cu, a line of JSON each. PyTorch's: the best of
eager and one CUDA graph.

    python3 torch_sparse.py [CASE...]
"""
import json
import sys

import torch

from torch_timing import time_cases

DEVICE = "cuda"


def from_triplets(rows, columns, n):
    values = torch.rand(rows.numel(), device=DEVICE)
    return torch.sparse_coo_tensor(torch.stack([rows, columns]), values, (n, n)).coalesce().to_sparse_csr()


def int32(a):
    """The same matrix with the indices that cuSPARSE reads fastest."""
    return torch.sparse_csr_tensor(a.crow_indices().int(), a.col_indices().int(), a.values(), a.shape)


def random_graph(n, degree):
    rows = torch.arange(n * degree, device=DEVICE) // degree
    return int32(from_triplets(rows, torch.randint(0, n, (n * degree,), device=DEVICE), n))


def skewed_graph(n, degree):
    rows = (torch.rand(n * degree, device=DEVICE) ** 4 * (n * 0.999)).long()
    return int32(from_triplets(rows, torch.randint(0, n, (n * degree,), device=DEVICE), n))


def laplacian(side):
    n = side * side
    parts = []
    for offset, value in ((0, 4.0), (1, -1.0), (-1, -1.0), (side, -1.0), (-side, -1.0)):
        i = torch.arange(n - abs(offset), device=DEVICE)
        parts.append((i + max(-offset, 0), i + max(offset, 0), torch.full_like(i, value, dtype=torch.float32)))
    rows, columns, values = (torch.cat(p) for p in zip(*parts))
    return int32(torch.sparse_coo_tensor(torch.stack([rows, columns]), values, (n, n)).coalesce().to_sparse_csr())


def vector(a):
    x = torch.rand(a.shape[1], device=DEVICE)
    return lambda: a @ x, None


def matrix(a, width):
    x = torch.rand(a.shape[1], width, device=DEVICE)
    return lambda: a @ x, None


def epilogue(width):
    a = random_graph(1 << 17, 32)
    x, b = torch.rand(a.shape[1], width, device=DEVICE), torch.randn(width, device=DEVICE)
    return lambda: torch.relu(a @ x + b), None


def sampled(width):
    a = random_graph(1 << 17, 32)
    x, y = torch.rand(a.shape[0], width, device=DEVICE), torch.rand(a.shape[1], width, device=DEVICE)
    zero = torch.sparse_csr_tensor(a.crow_indices(), a.col_indices(), torch.zeros_like(a.values()), a.shape)
    return lambda: torch.sparse.sampled_addmm(zero, x, y.t(), beta=0.0), None


def layer():
    a = random_graph(1 << 17, 32)
    x, w, b = (torch.randn(*s, device=DEVICE, requires_grad=True) for s in ((a.shape[1], 128), (128, 128), (128,)))
    g = torch.randn(a.shape[0], 128, device=DEVICE)

    def step():
        x.grad = w.grad = b.grad = None
        torch.relu(torch.sparse.mm(a, x @ w) + b).backward(g)

    return step, None


CASES = {
    "spmv_random": lambda: vector(random_graph(1 << 20, 16)),
    "spmv_laplacian": lambda: vector(laplacian(2048)),
    "spmv_skewed": lambda: vector(skewed_graph(1 << 20, 16)),
    "spmm_16": lambda: matrix(random_graph(1 << 17, 32), 16),
    "spmm_64": lambda: matrix(random_graph(1 << 17, 32), 64),
    "spmm_256": lambda: matrix(random_graph(1 << 17, 32), 256),
    "spmm_skewed_64": lambda: matrix(skewed_graph(1 << 17, 32), 64),
    "epilogue_64": lambda: epilogue(64),
    "sddmm_64": lambda: sampled(64),
    "graph_layer_both": layer,
}


def time_cupy():
    """The products alone, on PyTorch's matrices."""
    try:
        import cupy
        from cupyx.scipy.sparse import csr_matrix
    except ImportError:
        return
    from torch_timing import milliseconds

    class Stream:
        """CuPy's work on the stream that PyTorch's events time."""

        def __init__(self, f):
            self.f = f

        def __call__(self):
            with cupy.cuda.ExternalStream(torch.cuda.current_stream().cuda_stream):
                self.f()

    graphs = {"spmv_random": (lambda: random_graph(1 << 20, 16), 0), "spmv_skewed": (lambda: skewed_graph(1 << 20, 16), 0),
              "spmv_laplacian": (lambda: laplacian(2048), 0), "spmm_16": (lambda: random_graph(1 << 17, 32), 16),
              "spmm_64": (lambda: random_graph(1 << 17, 32), 64), "spmm_256": (lambda: random_graph(1 << 17, 32), 256),
              "spmm_skewed_64": (lambda: skewed_graph(1 << 17, 32), 64)}
    for case, (make, width) in graphs.items():
        if sys.argv[1:] and case not in sys.argv[1:]:
            continue
        a = make()
        parts = [cupy.from_dlpack(t.detach()) for t in (a.values(), a.col_indices(), a.crow_indices())]
        m = csr_matrix(tuple(parts), shape=tuple(a.shape))
        x = cupy.random.rand(*((a.shape[1], width) if width else (a.shape[1],)), dtype=cupy.float32)
        print(json.dumps({"case": case, "who": "cupy", "ms": milliseconds(Stream(lambda: m @ x))}), flush=True)


if __name__ == "__main__":
    time_cases(CASES)
    time_cupy()
