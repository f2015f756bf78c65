#!/usr/bin/env python3
"""PyTorch's times in milliseconds for the cases of bench/small_matrices.cu: eager, torch.compile, and without checks.

Prints lines of JSON as that program does. Arguments: cases; all without.
"""
import json
import statistics
import sys

import torch

MANY = 4 << 20


def report(name, f, who="PyTorch", runs=30):
    """The median; what is slow runs less often."""
    if sys.argv[1:] and name not in sys.argv[1:]:
        return

    def once():
        begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        begin.record()
        f()
        end.record()
        end.synchronize()
        return begin.elapsed_time(end)

    try:
        for _ in range(2):
            f()
        torch.cuda.synchronize()
        first = once()
        times = [once() for _ in range(max(3, min(runs, int(300 / first))))]
    except Exception as error:  # a case that PyTorch does not have
        print(json.dumps({"case": name, "who": who, "failed": str(error).splitlines()[0][:200]}), flush=True)
        return
    print(json.dumps({"case": name, "who": who, "ms": round(statistics.median(times), 6)}), flush=True)


def both(name, f, *operands):
    report(name, lambda: f(*operands))
    compiled = torch.compile(f)
    report(name, lambda: compiled(*operands), "torch.compile")


def rotate(r, p, shift):
    return (r @ p.unsqueeze(-1)).squeeze(-1) + shift


def rotate_sum(r, p, shift):
    """As products and sums, which torch.compile fuses: it calls a library for matmul."""
    return (r * p.unsqueeze(1)).sum(-1) + shift


def rotate_einsum(r, p, shift):
    return torch.einsum("nij,nj->ni", r, p) + shift


def quaternion_rotate(q, v):
    t = 2 * torch.linalg.cross(q[:, 1:], v)
    return v + q[:, :1] * t + torch.linalg.cross(q[:, 1:], t)


def quaternion_step(v, q):
    half = v.norm(dim=1, keepdim=True) * 0.005
    p = torch.cat([half.cos(), v * (0.01 * half.sin() / (2 * half))], 1)
    pw, px, py, pz = p.unbind(1)
    w, x, y, z = q.unbind(1)
    out = torch.stack([pw * w - px * x - py * y - pz * z, pw * x + px * w + py * z - pz * y,
                       pw * y - px * z + py * w + pz * x, pw * z + px * y - py * x + pz * w], 1)
    return torch.nn.functional.normalize(out, dim=1)


def project(r, p, camera, shift):
    seen = ((r * p.unsqueeze(1)).sum(-1) + shift) @ camera.T
    return seen[:, :2] / seen[:, 2:]


def fused():
    r = torch.randn(MANY, 3, 3, device="cuda")
    p, t = torch.randn(MANY, 3, device="cuda"), torch.randn(MANY, 3, device="cuda")
    shift = torch.tensor([1.0, 2.0, 3.0], device="cuda")
    report("rotate", lambda: rotate(r, p, shift))
    report("rotate", lambda: rotate_einsum(r, p, shift), "PyTorch (einsum)")
    both("rotate", rotate_sum, r, p, shift)
    both("rotate_both", lambda r, p, t: rotate_sum(r, p - t, t), r, p, t)
    q = torch.nn.functional.normalize(torch.randn(MANY, 4, device="cuda"), dim=1)
    both("quaternion_rotate", quaternion_rotate, q, p)
    both("quaternion_step", quaternion_step, p, q)
    camera = torch.tensor([[800.0, 0, 320], [0, 800, 240], [0, 0, 1]], device="cuda")
    both("project", project, r, p, camera, torch.tensor([0.0, 0, 8], device="cuda"))


def matrices():
    for k in (3, 4):
        x = torch.randn(MANY, k, k, device="cuda") / k ** 0.5
        a = x @ x.mT + torch.eye(k, device="cuda")
        v = torch.randn(MANY, k, 1, device="cuda")
        report(f"product_{k}", lambda: torch.bmm(a, x))
        by_sum = torch.compile(lambda a, b: (a.unsqueeze(-1) * b.unsqueeze(1)).sum(2))
        report(f"product_{k}", lambda: by_sum(a, x), "torch.compile")
        report(f"inv_{k}", lambda: torch.linalg.inv_ex(a))
        if k == 4:
            continue
        report("det_3", lambda: torch.linalg.det(a))
        report("solve_3", lambda: torch.linalg.solve_ex(a, v))
        report("normal_equations_3", lambda: torch.linalg.solve_ex(a.mT @ a, a.mT @ v))
        report("cholesky_3", lambda: torch.linalg.cholesky_ex(a))
        few = a[:1 << 17]
        report("eigvalsh_3", lambda: torch.linalg.eigvalsh(few), runs=3)


if __name__ == "__main__":
    fused()
    matrices()
