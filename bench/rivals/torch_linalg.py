#!/usr/bin/env python3
"""PyTorch's times, and CuPy's where it is installed, in milliseconds, for the cases of bench/linalg.cu.

Prints lines of JSON as that program does.
"""
import json
import statistics

import torch

try:
    import cupy
except ImportError:
    cupy = None


def report(name, f, who="PyTorch", runs=50):
    """The median; slow cases run less often. Both libraries use CUDA's default stream."""
    def once():
        begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        begin.record()
        f()
        end.record()
        end.synchronize()
        return begin.elapsed_time(end)

    try:
        f()
        torch.cuda.synchronize()
        first = once()
        times = [once() for _ in range(max(3, min(runs, int(300 / first))))]
    except Exception as error:  # a case that a library does not have
        print(json.dumps({"case": name, "who": who, "failed": str(error).splitlines()[0]}), flush=True)
        return
    print(json.dumps({"case": name, "who": who, "ms": round(statistics.median(times), 6)}), flush=True)


def definite(count, n):
    x = torch.randn(count, n, n, device="cuda") / n ** 0.5
    return x @ x.mT + torch.eye(n, device="cuda")


def small(count, n, end):
    a, b = definite(count, n), torch.randn(count, n, 1, device="cuda")
    report(f"inv_{end}", lambda: torch.linalg.inv(a))
    report(f"solve_{end}", lambda: torch.linalg.solve(a, b))
    report(f"cholesky_{end}", lambda: torch.linalg.cholesky(a))
    report(f"det_{end}", lambda: torch.linalg.det(a))
    few = a[:10000]
    report(f"eigvalsh_10k_{n}", lambda: torch.linalg.eigvalsh(few))
    # Without waiting for the GPU to see whether a matrix is singular, as weft does.
    report(f"inv_{end}", lambda: torch.linalg.inv_ex(a), "PyTorch (_ex)")
    report(f"solve_{end}", lambda: torch.linalg.solve_ex(a, b), "PyTorch (_ex)")
    report(f"cholesky_{end}", lambda: torch.linalg.cholesky_ex(a), "PyTorch (_ex)")
    if cupy:
        x, y = cupy.from_dlpack(a), cupy.from_dlpack(b)
        report(f"inv_{end}", lambda: cupy.linalg.inv(x), "CuPy")
        report(f"solve_{end}", lambda: cupy.linalg.solve(x, y), "CuPy")
        report(f"cholesky_{end}", lambda: cupy.linalg.cholesky(x), "CuPy")
        report(f"det_{end}", lambda: cupy.linalg.det(x), "CuPy")


def factors(count, n, end):
    a, b = definite(count, n), torch.randn(count, n, 4, device="cuda")
    report(f"solve_{end}", lambda: torch.linalg.solve(a, b))
    report(f"lu_factor_{end}", lambda: torch.linalg.lu_factor(a))
    report(f"qr_{end}", lambda: torch.linalg.qr(a))
    report(f"eigh_{end}", lambda: torch.linalg.eigh(a))
    report(f"svd_{end}", lambda: torch.linalg.svd(a, full_matrices=False))
    report(f"solve_{end}", lambda: torch.linalg.solve_ex(a, b), "PyTorch (_ex)")
    report(f"lu_factor_{end}", lambda: torch.linalg.lu_factor_ex(a), "PyTorch (_ex)")
    if cupy:
        x, y = cupy.from_dlpack(a), cupy.from_dlpack(b)
        report(f"solve_{end}", lambda: cupy.linalg.solve(x, y), "CuPy")
        report(f"qr_{end}", lambda: cupy.linalg.qr(x), "CuPy")
        report(f"eigh_{end}", lambda: cupy.linalg.eigh(x), "CuPy")
        report(f"svd_{end}", lambda: cupy.linalg.svd(x, full_matrices=False), "CuPy")


def large():
    a, b = definite(1, 2048)[0], torch.randn(2048, 1, device="cuda")
    report("solve_2048", lambda: torch.linalg.solve(a, b))
    report("inv_2048", lambda: torch.linalg.inv(a))
    report("cholesky_2048", lambda: torch.linalg.cholesky(a))
    report("qr_2048", lambda: torch.linalg.qr(a))
    report("eigh_2048", lambda: torch.linalg.eigh(a))
    report("svd_2048", lambda: torch.linalg.svd(a, full_matrices=False))
    for driver in ("gesvdj", "gesvda"):
        report("svd_2048", lambda: torch.linalg.svd(a, full_matrices=False, driver=driver), f"PyTorch ({driver})")
    if cupy:
        x, y = cupy.from_dlpack(a), cupy.from_dlpack(b)
        report("solve_2048", lambda: cupy.linalg.solve(x, y), "CuPy")
        report("inv_2048", lambda: cupy.linalg.inv(x), "CuPy")
        report("cholesky_2048", lambda: cupy.linalg.cholesky(x), "CuPy")
        report("qr_2048", lambda: cupy.linalg.qr(x), "CuPy")
        report("eigh_2048", lambda: cupy.linalg.eigh(x), "CuPy")
        report("svd_2048", lambda: cupy.linalg.svd(x, full_matrices=False), "CuPy")


if __name__ == "__main__":
    small(1000000, 3, "1m_3x3")
    small(1000000, 4, "1m_4x4")
    small(100000, 8, "100k_8x8")
    small(100000, 16, "100k_16x16")
    factors(10000, 8, "10k_8x8")
    factors(1000, 32, "1k_32x32")
    large()
