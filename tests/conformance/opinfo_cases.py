"""PyTorch's OpInfo samples in double as a file of cases: inputs, values, gradients of a weighted sum.

Each operator's line says which arguments it has in which order; what a sample gives besides is a
reason why it is not expressible. At most SAMPLES samples of each are taken, evenly spread.
"""
import sys
import warnings

from onnx_cases import Out, integer, number, string, tensor

SAMPLES = 40
# Arguments after the first, in order; "-" in front: values only, since weft or PyTorch has no gradient.
UNARY = """abs acos acosh asin asinh atan atanh ceil cos cosh deg2rad digamma erf erfc erfinv exp exp2 expm1 floor frac i0
lgamma log log10 log1p log2 neg rad2deg reciprocal round rsqrt sigmoid sign sin sinc sinh sqrt square tan tanh trunc
positive sgn special.i0e special.i1 special.i1e special.ndtr special.ndtri special.log_ndtr special.erfcx special.entr
special.bessel_j0 special.bessel_j1 special.bessel_y0 special.bessel_y1 special.modified_bessel_i0
special.modified_bessel_i1 special.modified_bessel_k0 special.modified_bessel_k1 special.scaled_modified_bessel_k0
special.scaled_modified_bessel_k1 nn.functional.relu nn.functional.relu6 nn.functional.silu nn.functional.mish
nn.functional.softsign nn.functional.tanhshrink nn.functional.logsigmoid nn.functional.hardswish
nn.functional.hardsigmoid nn.functional.selu ravel fliplr flipud t
isfinite isinf isnan isposinf isneginf signbit clone contiguous
atleast_1d atleast_2d atleast_3d linalg.det linalg.inv linalg.svdvals linalg.eigvalsh matrix_exp logdet trace
linalg.slogdet nonzero argwhere msort linalg.pinv""".split()
BINARY = """add sub rsub mul true_divide div.no_rounding_mode atan2 hypot maximum minimum max.binary min.binary fmax fmin
fmod remainder xlogy special.xlog1py logaddexp logaddexp2 copysign pow heaviside -nextafter floor_divide igamma igammac
clamp_min clamp_max eq ne lt le gt ge logical_and logical_or logical_xor special.zeta
mm bmm mv dot matmul outer inner kron vdot __radd__ __rmul__ __rsub__ __rmatmul__""".split()
REDUCED = "sum mean prod amax amin all any count_nonzero logsumexp nansum nanmean".split()
TABLE = {name: "" for name in UNARY}
TABLE.update({name: "other" for name in BINARY})
TABLE.update({name: "dim keepdim" for name in REDUCED})
TABLE.update({
    "add": "other alpha", "sub": "other alpha", "rsub": "other alpha",
    "div.floor_rounding": "other rounding_mode", "div.trunc_rounding": "other rounding_mode",
    "addcmul": "tensor1 tensor2 value", "addcdiv": "tensor1 tensor2 value", "lerp": "end weight",
    "clamp": "min max", "where": "condition other", "logit": "eps", "nan_to_num": "nan posinf neginf",
    "round.decimals_0": "decimals", "round.decimals_3": "decimals", "round.decimals_neg_3": "decimals",
    "nn.functional.elu": "alpha", "nn.functional.celu": "alpha", "nn.functional.leaky_relu": "negative_slope",
    "nn.functional.softplus": "beta threshold", "nn.functional.hardtanh": "min_val max_val",
    "nn.functional.hardshrink": "lambd", "nn.functional.softshrink": "lambd",
    "nn.functional.threshold": "threshold value", "nn.functional.gelu": "approximate", "nn.functional.glu": "dim",
    "nn.functional.prelu": "weight", "nn.functional.softmin": "dim", "softmax": "dim", "log_softmax": "dim",
    "nn.functional.normalize": "p dim eps", "nn.functional.cosine_similarity": "other dim eps",
    "isclose": "other rtol atol equal_nan", "allclose": "other rtol atol equal_nan", "equal": "other",
    "argmax": "dim keepdim", "argmin": "dim keepdim", "aminmax": "dim keepdim",
    "max.reduction_no_dim": "", "min.reduction_no_dim": "",
    "max.reduction_with_dim": "dim keepdim", "min.reduction_with_dim": "dim keepdim",
    "var": "dim unbiased keepdim correction", "std": "dim unbiased keepdim correction",
    "var.unbiased": "unbiased", "std.unbiased": "unbiased",
    "linalg.vector_norm": "ord dim keepdim", "median": "dim keepdim", "nanmedian": "dim keepdim",
    "kthvalue": "k dim keepdim", "-mode": "dim keepdim", "quantile": "q dim keepdim interpolation",
    "nanquantile": "q dim keepdim interpolation",
    "cumsum": "dim", "cumprod": "dim", "cummax": "dim", "cummin": "dim", "logcumsumexp": "dim",
    "diff": "n dim prepend append", "trapezoid": "x dim dx", "cumulative_trapezoid": "x dim dx",
    "reshape": "shape", "view": "size", "expand": "size", "broadcast_to": "size", "flatten": "start_dim end_dim",
    "permute": "dims", "transpose": "dim0 dim1", "movedim": "source destination", "squeeze": "dim",
    "unsqueeze": "dim", "flip": "dims", "rot90": "k dims", "roll": "shifts dims", "tile": "dims", "repeat": "repeats",
    "repeat_interleave": "repeats dim output_size", "tril": "diagonal", "triu": "diagonal",
    "diagonal": "offset dim1 dim2", "diag_embed": "offset dim1 dim2", "diagflat": "offset", "diag": "diagonal",
    "narrow": "dim start length", "select": "dim index", "unflatten": "dim sizes", "chunk": "chunks dim",
    "split": "split_size dim", "split.list_args": "split_size dim", "split_with_sizes": "split_size dim",
    "tensor_split": "sections dim", "unbind": "dim", "unfold": "dim size step",
    "hsplit": "sections", "vsplit": "sections", "dsplit": "sections",
    "cat": "dim", "stack": "dim", "hstack": "", "vstack": "", "dstack": "", "column_stack": "",
    "meshgrid.list_of_tensors": "indexing", "block_diag": "", "constant_pad_nd": "pad value",
    "nn.functional.pad.constant": "pad mode value", "nn.functional.pad.reflect": "pad mode",
    "nn.functional.pad.replicate": "pad mode", "nn.functional.pad.circular": "pad mode",
    "select_scatter": "src dim index", "slice_scatter": "src dim start end step",
    "diagonal_scatter": "src offset dim1 dim2", "masked_fill": "mask value", "masked_select": "mask",
    "masked_scatter": "mask source", "gather": "dim index", "index_select": "dim index",
    "take_along_dim": "index dim", "take": "index", "scatter": "dim index src", "scatter_add": "dim index src",
    "index_add": "dim index source alpha", "-index_copy": "dim index source", "-index_fill": "dim index value",
    "-put": "index source accumulate", "sort": "dim descending stable", "argsort": "dim descending stable",
    "topk": "k dim largest sorted", "searchsorted": "values out_int32 right side sorter",
    "bucketize": "boundaries out_int32 right", "bincount": "weights minlength",
    "isin": "test_elements assume_unique invert",
    "addmm": "mat1 mat2 beta alpha", "baddbmm": "mat1 mat2 beta alpha", "addmv": "mat1 mat2 beta alpha",
    "addr": "mat1 mat2 beta alpha", "tensordot": "other dims", "einsum": "equation",
    "linalg.solve": "other left", "linalg.cholesky": "upper", "linalg.qr": "mode",
    "linalg.matrix_power": "n", "linalg.multi_dot": "", "linalg.cross": "other dim", "cross": "other dim",
    "linalg.vander": "N", "linalg.solve_triangular": "other upper left unitriangular",
    "linalg.matrix_rank": "tol hermitian", "linalg.eigh": "UPLO", "linalg.vecdot": "other dim",
    "nn.functional.linear": "weight bias", "nn.functional.bilinear": "other weight bias",
    "nn.functional.conv1d": "weight bias stride padding dilation groups",
    "nn.functional.conv2d": "weight bias stride padding dilation groups",
    "nn.functional.conv3d": "weight bias stride padding dilation groups",
    "nn.functional.conv_transpose1d": "weight bias stride padding output_padding groups dilation",
    "nn.functional.conv_transpose2d": "weight bias stride padding output_padding groups dilation",
    "nn.functional.conv_transpose3d": "weight bias stride padding output_padding groups dilation",
    "nn.functional.max_pool1d": "kernel_size stride padding dilation ceil_mode return_indices",
    "nn.functional.max_pool2d": "kernel_size stride padding dilation ceil_mode return_indices",
    "nn.functional.max_pool3d": "kernel_size stride padding dilation ceil_mode return_indices",
    "nn.functional.avg_pool1d": "kernel_size stride padding ceil_mode count_include_pad",
    "nn.functional.avg_pool2d": "kernel_size stride padding ceil_mode count_include_pad divisor_override",
    "nn.functional.avg_pool3d": "kernel_size stride padding ceil_mode count_include_pad divisor_override",
    "nn.functional.adaptive_avg_pool1d": "output_size", "nn.functional.adaptive_avg_pool2d": "output_size",
    "nn.functional.adaptive_avg_pool3d": "output_size",
    "nn.functional.interpolate.nearest": "size scale_factor mode align_corners recompute_scale_factor",
    "nn.functional.interpolate.linear": "size scale_factor mode align_corners recompute_scale_factor",
    "nn.functional.interpolate.bilinear": "size scale_factor mode align_corners recompute_scale_factor",
    "nn.functional.interpolate.bicubic": "size scale_factor mode align_corners recompute_scale_factor",
    "nn.functional.interpolate.trilinear": "size scale_factor mode align_corners recompute_scale_factor",
    "nn.functional.unfold": "kernel_size dilation padding stride",
    "nn.functional.pixel_shuffle": "upscale_factor", "nn.functional.pixel_unshuffle": "downscale_factor",
    "nn.functional.layer_norm": "normalized_shape weight bias eps",
    "nn.functional.rms_norm": "normalized_shape weight eps",
    "nn.functional.mse_loss": "target size_average reduce reduction", "nn.functional.l1_loss":
    "target size_average reduce reduction", "nn.functional.smooth_l1_loss": "target size_average reduce reduction beta",
    "nn.functional.huber_loss": "target reduction delta",
    "nn.functional.binary_cross_entropy_with_logits": "target weight size_average reduce reduction pos_weight",
    "nn.functional.kl_div": "target size_average reduce reduction log_target",
    "nn.functional.cross_entropy": "target weight size_average ignore_index reduce reduction label_smoothing",
    "nn.functional.nll_loss": "target weight size_average ignore_index reduce reduction",
    "nn.functional.gaussian_nll_loss": "target var full eps reduction",
    "nn.functional.poisson_nll_loss": "target log_input full size_average eps reduce reduction",
    "nn.functional.soft_margin_loss": "target size_average reduce reduction",
    "nn.functional.embedding": "weight padding_idx max_norm norm_type scale_grad_by_freq sparse",
    "nn.functional.scaled_dot_product_attention": "key value attn_mask dropout_p is_causal scale enable_gqa",
    "fft.fft": "n dim norm", "fft.ifft": "n dim norm", "fft.rfft": "n dim norm", "fft.irfft": "n dim norm",
    "fft.fft2": "s dim norm", "fft.fftn": "s dim norm", "fft.rfftn": "s dim norm", "fft.irfftn": "s dim norm",
    "fft.fftshift": "dim", "fft.ifftshift": "dim",
})
VALUES_ONLY = {name[1:] for name in TABLE if name.startswith("-")}
TABLE = {name.lstrip("-"): names.split() for name, names in TABLE.items()}


def encode(name, op, sample, torch):
    wants = op.supports_autograd and name not in VALUES_ONLY
    named = dict(zip(["input", *TABLE[name]], [sample.input, *sample.args]))
    if len(sample.args) > len(TABLE[name]):
        raise Out("arguments that the table does not name")
    named.update(sample.kwargs)
    tensors, attributes, leaves = [], [], []

    def array(x):
        x = x.detach()
        if x.is_conj():
            x = x.resolve_conj()
        return tensor(x.cpu().numpy())

    def add(key, value):
        tensors.append(string(key) + array(value))
        if value.requires_grad and value.dtype == torch.float64:
            leaves.append((key, value))

    for key, value in named.items():
        if value is None:
            continue
        if key not in TABLE[name] and key != "input":
            if key in ("dtype", "out_int32", "memory_format", "device", "layout"):
                raise Out(f"an argument {key}")
            raise Out(f"an argument {key}")
        if isinstance(value, torch.Tensor):
            add(key, value)
        elif isinstance(value, (list, tuple)) and value and all(isinstance(v, torch.Tensor) for v in value):
            for i, v in enumerate(value):
                add(f"{key}.{i}", v)
            attributes.append(string(key) + string("i") + integer(1) + integer(len(value)))
        elif isinstance(value, (bool, int)):
            attributes.append(string(key) + string("i") + integer(1) + integer(value))
        elif isinstance(value, float):
            attributes.append(string(key) + string("f") + integer(1) + number(value))
        elif isinstance(value, str):
            attributes.append(string(key) + string("s") + string(value))
        elif isinstance(value, (list, tuple)) and all(isinstance(v, int) for v in value):
            attributes.append(string(key) + string("I") + integer(len(value)) + b"".join(map(integer, value)))
        else:
            raise Out(f"an argument {key} of type {type(value).__name__}")
    result = op(sample.input, *sample.args, **sample.kwargs)
    results = [result] if isinstance(result, (torch.Tensor, bool)) else list(result)
    results = [torch.tensor(r) if isinstance(r, bool) else r for r in results]
    if any(not isinstance(r, torch.Tensor) for r in results):
        raise Out("results of another kind")
    expected = [string(f"out{i}") + array(r) for i, r in enumerate(results)]
    # The gradients of the outputs times a cosine each.
    real = all(r.dtype == torch.float64 for r in results if r.requires_grad)
    if wants and real and leaves and any(r.requires_grad for r in results):
        loss = sum((r * torch.cos(torch.arange(r.numel(), dtype=torch.float64)).reshape(r.shape)).sum()
                   for r in results if r.requires_grad)
        grads = torch.autograd.grad(loss, [v for _, v in leaves], allow_unused=True)
        for (key, value), g in zip(leaves, grads):
            expected.append(string(f"grad {key}") + array(torch.zeros_like(value) if g is None else g))
    inputs = [key for key, _ in leaves] if len(expected) > len(results) else []
    node = (string(name) + integer(0) + integer(len(attributes)) + b"".join(attributes) +
            integer(len(inputs)) + b"".join(map(string, inputs)) + integer(0))
    return (integer(1) + node + integer(len(tensors)) + b"".join(tensors) +
            integer(len(expected)) + b"".join(expected))


def write(path):
    import torch
    from torch.testing._internal.common_methods_invocations import op_db
    warnings.simplefilter("ignore")
    left, cases, seen = [], [], set()
    for op in op_db:
        name = op.name + ("." + op.variant_test_name if op.variant_test_name else "")
        if name not in TABLE or torch.float64 not in op.dtypes | {torch.float64}:
            left.append((name, "operators without a line in the table"))
            continue
        seen.add(name)
        torch.manual_seed(0)
        samples = list(op.sample_inputs("cpu", torch.float64, requires_grad=op.supports_autograd))
        step = max(1, -(-len(samples) // SAMPLES))
        for i, sample in enumerate(samples[::step]):
            title = f"{name} {i * step}"
            try:
                cases.append(string(title) + number(1e-7) + number(1e-7) + integer(0) + encode(name, op, sample, torch))
            except Out as reason:
                left.append((title, str(reason)))
            except Exception as e:  # a sample that PyTorch itself refuses
                left.append((title, f"refused by PyTorch: {type(e).__name__}"))
    for name in set(TABLE) - seen:
        left.append((name, "not in this version of PyTorch"))
    with open(path, "wb") as file:
        file.write(string("weft cases 1") + integer(len(cases)) + b"".join(cases))
    return left, len(cases)


if __name__ == "__main__":
    left, count = write(sys.argv[1])
    for name, reason in left:
        print(f"{name}\tnot expressible\t{reason}")
    print(count, "cases", file=sys.stderr)
