"""The cases, in the order of the tables: what each must reach, and what rivals reached before."""

# GB/s of the least bytes that a case must move, on an H200; None where something else decides.
GROUPS = {
    "elementwise": {
        "copy": 4150, "axpy": 4250, "chain": 4250, "gelu_bf16": 3900, "adam": 4150, "sincos": 4000,
        "bnorm": 4150, "transpose_add": 4100,
    },
    "reduce": {
        "sum": 4350, "sumexp": 4300, "dot": 4400, "argmax": 4250, "rowsum": 4400,
        "rowsum_narrow": 4100, "rowsum_wide": 4250, "colsum": 4250,
    },
    "rows": {
        "var_mean": 4250, "softmax": 4150, "softmax_wide": 3900, "softmax_narrow": 4100,
        "softmax_bf16": 3900, "log_softmax": 4150, "logsumexp": 4300, "layernorm": 4100,
        "rmsnorm": 3900, "cross_entropy": 4100,
    },
    "order": {"cumsum": 3800, "sort": None, "argsort": None, "topk": None, "take": 4100},
    "matmul": {
        "gemm_fp32": 50.5, "gemm_tf32": 361, "gemm_bf16": 781, "gemm_1024_fp32": None,
        "gemm_1024_bf16": None, "linear_gelu_bf16": 690, "linear_gelu_256": None, "bmm_bf16": None,
    },
    "autograd": {
        "chain_bwd": 4100, "softmax_bwd": 4000, "layernorm_bwd": 3800, "ce_bwd_bf16": 3300,
    },
    "training": {
        "adamw_142": None, "adamw_142_arena": None, "mlp": None, "mlp_arena": None,
        "mlp_graphed": None, "mlp_graphed_arena": None,
    },
    "small": {"small_chain": None, "small_chain_fresh": None},
}
TARGETS = {case: target for cases in GROUPS.values() for case, target in cases.items()}

# The speed of these is TFLOP/s, not GB/s.
TFLOPS = tuple(GROUPS["matmul"])

# These cases cost host time: microseconds above a raw launch of a kernel with as many parameters.
ABOVE_RAW_US = {"small_chain": 0.5, "small_chain_fresh": 1.2}

# These take at most so many milliseconds, on an H200.
AT_MOST_MS = {"adamw_142_arena": 0.03, "mlp": 0.25, "mlp_graphed_arena": 0.1}

# These must be as fast as a yardstick: at least SPEEDUP times, as with a rival.
AS_FAST_AS = {"sort": "CUB"}

# A case counts as met from this speed relative to the best rival on.
SPEEDUP = 0.99

# Who is no rival but says what the machine can do.
YARDSTICKS = ("cudaMemcpyAsync", "raw launch", "CUB")

# The geometric means of the speedups that the report ends with.
MEANS = {
    "memory-bound cases": [case for case, target in TARGETS.items() if target and case not in TFLOPS],
    "softmax_wide, cross_entropy and cumsum": ["softmax_wide", "cross_entropy", "cumsum"],
}

# Milliseconds seen on an H200, used where a rival does not run, scaled by the copy of both runs.
RECORDED_ON, RECORDED_COPY_MS = "h200", 0.512
RECORDED = {
    "copy": {"torch": 0.512},
    "axpy": {"torch": 0.745, "torch.compile": 0.770, "jax": 0.785, "matx": 0.740},
    "chain": {"torch": 4.751, "torch.compile": 0.771, "jax": 0.786, "matx": 0.738},
    "gelu_bf16": {"torch": 0.314, "torch.compile": 0.343},
    "adam": {"torch": 2.258, "torch.compile": 0.925},
    "bnorm": {"torch": 3.085, "torch.compile": 0.547, "jax": 0.550, "matx": 0.505},
    "transpose_add": {"torch": 1.978, "torch.compile": 0.775, "jax": 0.828, "matx": 1.977},
    "sum": {"torch": 0.253, "torch.compile": 0.268},
    "sumexp": {"torch": 1.276, "torch.compile": 0.272, "jax": 0.271, "matx": 0.247},
    "dot": {"torch": 0.992, "torch.compile": 0.499},
    "argmax": {"torch": 0.290, "torch.compile": 30.2},
    "rowsum": {"torch": 0.266, "torch.compile": 0.263, "jax": 0.253, "matx": 0.238},
    "rowsum_narrow": {"torch": 0.943, "torch.compile": 0.286},
    "rowsum_wide": {"torch": 0.259, "torch.compile": 0.266},
    "colsum": {"torch": 0.255, "torch.compile": 0.269, "jax": 0.279, "matx": 1.837},
    "var_mean": {"torch": 0.399, "torch.compile": 0.299},
    "softmax": {"torch": 0.557, "torch.compile": 0.370, "jax": 0.316, "matx": 1.106},
    "softmax_wide": {"torch": 1.033, "torch.compile": 0.856},
    "layernorm": {"torch": 0.729, "torch.compile": 0.576},
    "cross_entropy": {"torch": 0.838, "torch.compile": 0.422},
    "cumsum": {"torch": 0.858, "torch.compile": 2.383, "jax": 1.700},
    "sort": {"torch": 1.552},
    "chain_bwd": {"torch": 3.211, "torch.compile": 0.755},
    "softmax_bwd": {"torch": 0.612, "torch.compile": 0.510},
    "layernorm_bwd": {"torch": 0.669, "torch.compile": 0.614},
    "ce_bwd_bf16": {"torch": 3.16},
    "gemm_fp32": {"torch": 21.55},
    "gemm_tf32": {"torch": 3.01},
    "gemm_bf16": {"torch": 1.394},
    "linear_gelu_bf16": {"torch": 0.819, "torch.compile": 0.809},
    "small_chain": {"torch": 0.0542, "torch.compile": 0.0308, "matx": 0.0049},
}
