#!/usr/bin/env python3
"""PyTorch, eager and compiled, on the cases of bench/: CUDA events, median, three buffer sets."""
import statistics
import time

import cases as common

try:
    import numpy as np
    import torch
    import torch_training
except ImportError as error:
    common.skip(error)
F = torch.nn.functional
N, SIDE = common.N, common.SIDE
B1, B2, RATE, EPSILON = common.BETA1, common.BETA2, common.RATE, common.EPSILON


def unit(*shape):
    return torch.rand(shape, device="cuda")


def centred(*shape):
    return unit(*shape).mul_(2).sub_(1)


def make(case):
    """The operands of one set."""
    if case == "bnorm":
        return (centred(SIDE, SIDE), centred(SIDE), unit(SIDE), centred(SIDE), centred(SIDE))
    if case == "adam":
        return *(centred(N // 2) for _ in range(3)), unit(N // 2)
    if case == "gelu_bf16":
        return (centred(N).bfloat16(),)
    if case in common.PRODUCTS:
        return product_operands(case)
    shape = common.SHAPES.get(case, (N,))
    if case in common.GRADIENTS:
        return gradient_operands(case, shape)
    if case == "layernorm":
        return centred(*shape), centred(shape[1]), centred(shape[1])
    if case == "rmsnorm":
        return centred(*shape).bfloat16(), centred(shape[1]).bfloat16()
    if case in common.STEP:
        size = shape[1] if case == "cross_entropy" else shape[0]
        return centred(*shape), torch.arange(shape[0], device="cuda") * common.STEP[case] % size
    if case == "softmax_bf16":
        return (centred(*shape).bfloat16(),)
    if "softmax" in case or case in ("logsumexp", "sort", "argsort", "topk"):
        return (centred(*shape),)
    if case == "transpose_add":
        return centred(SIDE, SIDE), centred(SIDE, SIDE)
    if case in ("axpy", "chain"):
        return centred(N), centred(N)
    if case == "copy":
        return centred(N), torch.empty(N, device="cuda")
    if case == "dot":
        return unit(N), unit(N)
    return (unit(*shape),)


def gradient_operands(case, shape):
    """The last one is the result's gradient, but for cross entropy, which has the targets there."""
    x = centred(*shape)
    if case == "ce_bwd_bf16":
        targets = torch.arange(shape[0], device="cuda") * common.STEP[case] % shape[1]
        return x.bfloat16().requires_grad_(), targets
    others = {"chain_bwd": [shape], "softmax_bwd": [], "layernorm_bwd": [shape[1:]] * 2}[case]
    return *(v.requires_grad_() for v in [x, *(centred(*s) for s in others)]), centred(*shape)


def product_operands(case):
    m, n, k, count = common.PRODUCTS[case]
    if case == "bmm_bf16":
        return centred(count, m, k).bfloat16(), centred(count, n, k).bfloat16()
    if case.startswith("linear"):
        return centred(m, k).bfloat16(), centred(n, k).bfloat16(), centred(n).bfloat16()
    x, y = centred(m, k), centred(k, n)
    return (x.bfloat16(), y.bfloat16()) if case.endswith("bf16") else (x, y)


def adam(p, g, m, v):
    m.mul_(B1).add_(g, alpha=1 - B1)
    v.mul_(B2).addcmul_(g, g, value=1 - B2)
    return p.addcdiv_(m, v.sqrt().add_(EPSILON), value=-RATE)


EAGER = {
    "copy": lambda x, y: y.copy_(x),
    "axpy": lambda x, y: y.add_(x, alpha=0.75),
    "chain": lambda x, y: torch.tanh(x * y + 0.3) * torch.exp(-x * x) + 0.5,
    "gelu_bf16": lambda x: F.gelu(x, approximate="tanh"),
    "adam": adam,
    "bnorm": lambda x, mu, var, g, b: (x - mu) * torch.rsqrt(var + 1e-5) * g + b,
    "transpose_add": lambda x, y: x.t() + y,
    "sum": lambda x: x.sum(),
    "sumexp": lambda x: (x - 0.5).exp().sum(),
    "dot": torch.dot,
    "argmax": lambda x: x.argmax(),
    "rowsum": lambda x: x.sum(1),
    "rowsum_narrow": lambda x: x.sum(1),
    "rowsum_wide": lambda x: x.sum(1),
    "colsum": lambda x: x.sum(0),
    "var_mean": lambda x: torch.var_mean(x, 1),
    **dict.fromkeys(("softmax", "softmax_wide", "softmax_narrow", "softmax_bf16"),
                    lambda x: F.softmax(x, -1)),
    "log_softmax": lambda x: F.log_softmax(x, -1),
    "logsumexp": lambda x: torch.logsumexp(x, -1),
    "layernorm": lambda x, g, b: F.layer_norm(x, x.shape[1:], g, b, common.NORM_EPSILON),
    "rmsnorm": lambda x, g: F.rms_norm(x, x.shape[1:], g, common.NORM_EPSILON),
    "cross_entropy": F.cross_entropy,
    "cumsum": lambda x: x.cumsum(0),
    "sort": torch.sort,
    "argsort": torch.argsort,
    "topk": lambda x: torch.topk(x, common.K),
    "take": lambda table, ids: F.embedding(ids, table),
    **dict.fromkeys((case for case in common.PRODUCTS if case.startswith("gemm")), torch.matmul),
    **dict.fromkeys(("linear_gelu_bf16", "linear_gelu_256"),
                    lambda x, w, b: F.gelu(F.linear(x, w, b), approximate="tanh")),
    "bmm_bf16": lambda x, y: torch.matmul(x, y.transpose(1, 2)),
}


def cross_entropy(x, targets):
    """Compiled, this is faster than F.cross_entropy; of the other cases no formula is."""
    return (torch.logsumexp(x, -1) - x.gather(1, targets[:, None])[:, 0]).mean()


# What is compiled is the same, but for these; None: no other kernels than eager's, or far slower.
COMPILED = {**EAGER, "axpy": lambda x, y: 0.75 * x + y, "dot": lambda x, y: (x * y).sum(),
            "cross_entropy": cross_entropy,
            **dict.fromkeys(case for case in common.PRODUCTS if not case.startswith("linear")),
            **dict.fromkeys(("copy", "argmax", "cumsum", "sort", "argsort", "topk"))}


def both_passes(case, forward):
    """Forward, backward, and the first operand's gradient."""
    if case == "ce_bwd_bf16":
        return lambda x, targets: torch.autograd.grad(forward(x, targets), x)[0]
    return lambda *operands: torch.autograd.grad(forward(*operands[:-1]), operands[:-1],
                                                 operands[-1])[0]


FORWARD = {"chain_bwd": "chain", "softmax_bwd": "softmax", "layernorm_bwd": "layernorm",
           "ce_bwd_bf16": "cross_entropy"}


def run_time(f, sets, warm_ups=5, seconds=0.1):
    """The median milliseconds of f; a slow one runs less often."""
    for r in range(warm_ups):
        f(*sets[r % len(sets)])
    torch.cuda.synchronize()
    begin = time.perf_counter()
    f(*sets[0])
    torch.cuda.synchronize()
    runs = max(9, min(50, int(seconds / (time.perf_counter() - begin))))
    events = [[torch.cuda.Event(enable_timing=True) for _ in range(2)] for _ in range(runs)]
    for r in range(-2, runs):  # two more warm-ups, so that the host is ahead of the GPU
        if r >= 0:
            events[r][0].record()
        f(*sets[r % len(sets)])
        if r >= 0:
            events[r][1].record()
    torch.cuda.synchronize()
    return statistics.median(a.elapsed_time(b) for a, b in events)


def host(x, rows=None):
    x = x if rows is None else x[:rows]
    return (x if x.dtype == torch.float32 and rows is None else x.double()).cpu().numpy()


def check(case, f, operands):
    """Runs f once on fresh operands and compares the first part of the result."""
    if case in common.WHOLE:
        expected = common.REFERENCES[case](*(host(x) for x in operands))
        found = f(*operands)
        return common.agrees(case, float(operands[0][found] if case == "argmax" else found), expected)
    if case == "transpose_add":
        expected = host(operands[0][:, :8]).T.astype(float) + host(operands[1], 8)
        return common.agrees(case, host(f(*operands), 8), expected)
    if case == "colsum":
        expected = common.REFERENCES[case](host(operands[0][:, :8].double()))
        return common.agrees(case, host(f(*operands), 8), expected)
    if case in common.SORTED:
        found = f(*operands)
        values, order = found if case == "sort" else (operands[0][found], found)
        return torch.equal(values, operands[0][order]) and common.agrees(
            case, host(values, 4096), np.sort(host(operands[0]))[:4096])
    if case == "take":
        table, ids = operands
        return common.agrees(case, host(f(table, ids), 2), [host(table[int(i)]) for i in ids[:2]])
    if case in common.GRADIENTS:
        rows = 2 if operands[0].dim() == 2 else 4096
        parts = [host(x.detach(), rows if len(x) == len(operands[0]) else None) for x in operands]
        found = f(*operands)
        return common.agrees(case, host(found, rows), common.REFERENCES[case](*parts))
    if case in common.ROWS_OF_FIRST:
        parts = [host(operands[0], 2), *(host(x.double()) for x in operands[1:])]
    else:
        parts = [host(x, 2 if x.dim() == 2 else 4096) for x in operands]
    if case == "copy":
        parts = parts[:1]
    expected = common.REFERENCES[case](*parts)
    found = f(*operands)
    if case == "var_mean":
        found = torch.stack(found)[:, :2]
    elif case == "topk":
        found = found.values
    return common.agrees(case, host(found, len(expected)), expected)


def run_case(case, who, f, args):
    torch.backends.cuda.matmul.allow_tf32 = case == "gemm_tf32"
    sets = [make(case) for _ in range(3)]
    right = None if args.no_check else check(case, f, sets[0])
    seconds = 0.1
    if case in common.PRODUCTS:  # a GPU lowers its clock some 50 ms after it begins to multiply
        torch.cuda.synchronize()
        time.sleep(1)
        seconds = 0.03
    common.report(case, who, run_time(f, sets, seconds=seconds), right)


def run_small(who, f):
    x, y = centred(1024), centred(1024)
    best = 1.0
    for _ in range(common.SMALL_BATCHES):
        begin = time.perf_counter()
        for _ in range(common.SMALL_CALLS):
            f(x, y)
        best = min(best, (time.perf_counter() - begin) / common.SMALL_CALLS)
        torch.cuda.synchronize()
    common.report_small(who, best)


def main():
    args = common.arguments(__doc__)
    if not torch.cuda.is_available():
        common.skip("PyTorch sees no CUDA device")
    common.say(rival="torch", version=torch.__version__)
    for case in args.cases:
        if case in torch_training.STEPS:
            try:
                torch.set_grad_enabled(True)
                step = torch_training.STEPS[case]()
                common.report(case, "torch", run_time(lambda _: step(), [(None,)]), None)
            except Exception as error:
                common.say(case=case, who="torch", failed=str(error).splitlines()[0][:200])
            continue
        for who, table in (("torch", EAGER), ("torch.compile", COMPILED)):
            f = table.get("chain" if case == common.SMALL else FORWARD.get(case, case))
            torch.set_grad_enabled(case in common.GRADIENTS)
            if f is None or (who == "torch.compile" and args.no_compile):
                continue
            try:
                if who == "torch.compile":
                    f = torch.compile(f, dynamic=False)
                if case in common.GRADIENTS:
                    f = both_passes(case, f)
                run_small(who, f) if case == common.SMALL else run_case(case, who, f, args)
            except Exception as error:  # one case must not end the others
                common.say(case=case, who=who, failed=str(error).splitlines()[0][:200])
        torch.cuda.empty_cache()


if __name__ == "__main__":
    main()
