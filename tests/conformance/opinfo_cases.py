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
    "index_add": "dim index source alpha", "index_copy": "dim index source", "index_fill": "dim index value",
    "put": "index source accumulate", "sort": "dim descending stable", "argsort": "dim descending stable",
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
TABLE.update({name: "other" for name in """bitwise_and bitwise_or bitwise_xor __rand__ __ror__ __rxor__ gcd lcm float_power
__rpow__ __rdiv__ __rmod__ expand_as view_as reshape_as""".split()})
TABLE.update({name: "" for name in "bitwise_not logical_not frexp zeros_like ones_like T mT".split()})
TABLE.update({
    "unravel_index": "shape", "nn.functional.one_hot": "num_classes", "polygamma.polygamma_n_0": "n",
    "mvlgamma.mvlgamma_p_1": "p", "scatter_reduce.sum": "dim index src reduce include_self",
    "index_reduce.mean": "dim index source reduce include_self", "index_put": "indices values accumulate",
    "-fill": "value", "full_like": "fill_value", "meshgrid.variadic_tensors": "* indexing", "broadcast_tensors": "*",
    "cartesian_prod": "*", "combinations": "r with_replacement", "sum_to_size": "size",
    "linalg.diagonal": "offset dim1 dim2", "cov": "correction fweights aweights", "corrcoef": "", "histc": "bins min max",
    "dist": "other p", "cdist": "x2 p compute_mode", "linalg.matrix_norm": "ord dim keepdim", "linalg.cond": "p",
    "linalg.svd": "full_matrices", "linalg.lu": "pivot", "cholesky_solve": "input2 upper", "cholesky_inverse": "upper",
    "linalg.lstsq.grad_oriented": "other driver", "triangular_solve": "A upper transpose unitriangular",
    "addbmm": "batch1 batch2 beta alpha",
    "var_mean": "dim unbiased keepdim correction", "std_mean": "dim unbiased keepdim correction",
    "var_mean.unbiased": "unbiased", "std_mean.unbiased": "unbiased",
    "fft.ifft2": "s dim norm", "fft.ifftn": "s dim norm", "fft.rfft2": "s dim norm", "fft.irfft2": "s dim norm",
    "fft.ihfft": "n dim norm", "fft.ihfftn": "s dim norm",
    "signal.windows.hann": "sym", "signal.windows.hamming": "sym", "signal.windows.blackman": "sym",
    "signal.windows.bartlett": "sym", "signal.windows.kaiser": "beta sym", "signal.windows.gaussian": "std sym",
    "nn.functional.binary_cross_entropy": "target weight size_average reduce reduction",
    "nn.functional.hinge_embedding_loss": "target margin size_average reduce reduction",
    "nn.functional.multilabel_soft_margin_loss": "target weight size_average reduce reduction",
    "nn.functional.margin_ranking_loss": "input2 target margin size_average reduce reduction",
    "nn.functional.cosine_embedding_loss": "input2 target margin size_average reduce reduction",
    "nn.functional.multilabel_margin_loss": "target size_average reduce reduction",
    "nn.functional.triplet_margin_loss": "positive negative margin p eps swap size_average reduce reduction",
    "nn.functional.pairwise_distance": "x2 p eps keepdim",
    "nn.functional.adaptive_max_pool1d": "output_size return_indices",
    "nn.functional.adaptive_max_pool2d": "output_size return_indices",
    "nn.functional.adaptive_max_pool3d": "output_size return_indices",
})
# Other names for a line above, with the same arguments.
ALIASES = {
    "bmm": "bmm.triton_optimized", "addmm": "addmm.decomposed", "softmax": "softmax.with_dtype",
    "log_softmax": "log_softmax.with_dtype", "nn.functional.softmin": "nn.functional.softmin.with_dtype",
    "clone": "alias_copy", "expand": "expand_copy", "permute": "permute_copy", "transpose": "transpose_copy",
    "squeeze": "squeeze_copy squeeze.multiple", "unsqueeze": "unsqueeze_copy", "narrow": "narrow_copy",
    "view": "view_copy", "diagonal": "diagonal_copy", "unbind": "unbind_copy", "unfold": "unfold_copy",
    "split_with_sizes": "split_with_sizes_copy", "t": "t_copy", "chunk": "unsafe_chunk", "split": "unsafe_split",
    "trapezoid": "trapz", "linalg.pinv": "pinverse linalg.pinv.hermitian linalg.pinv.singular",
    "nn.functional.pad.replicate": "nn.functional.pad.replicate_negative",
    "nn.functional.interpolate.nearest": "nn.functional.interpolate.nearest-exact nn.functional.interpolate.area",
    "T": "H", "mT": "mH", "linalg.matrix_rank": "linalg.matrix_rank.hermitian",
    "scatter_reduce.sum": "scatter_reduce.prod scatter_reduce.mean scatter_reduce.amin scatter_reduce.amax",
    "index_reduce.mean": "index_reduce.prod index_reduce.amin index_reduce.amax",
    "polygamma.polygamma_n_0": "polygamma.polygamma_n_1 polygamma.polygamma_n_2 polygamma.polygamma_n_3 "
                               "polygamma.polygamma_n_4 special.polygamma.special_polygamma_n_0",
    "mvlgamma.mvlgamma_p_1": "mvlgamma.mvlgamma_p_3 mvlgamma.mvlgamma_p_5",
    "var_mean": "var_mean.unbiased", "std_mean": "std_mean.unbiased", "linalg.svd": "svd",
}
SPELLED = {alias: name for name, aliases in ALIASES.items() for alias in aliases.split()}
for alias, name in SPELLED.items():
    TABLE.setdefault(alias, TABLE[name])
# Why weft has no spelling of the others. A name that is neither here nor above is an error.
REASONS = {
    "random values, which are tested by their distributions": """bernoulli multinomial normal normal.in_place
        normal.number_mean uniform cauchy exponential geometric log_normal rand_like randint randint_like randn randn_like
        nn.functional.dropout nn.functional.dropout2d nn.functional.dropout3d nn.functional.alpha_dropout
        nn.functional.feature_alpha_dropout.with_train nn.functional.feature_alpha_dropout.without_train
        nn.functional.rrelu nn.functional.fractional_max_pool2d nn.functional.fractional_max_pool3d svd_lowrank
        pca_lowrank""",
    "memory without values": """empty empty_like empty_permuted empty_strided new_empty new_empty_strided resize_
        resize_as_""",
    "creation from numbers, of PyTorch's default type": """arange eye full linspace linspace.tensor_overload logspace
        logspace.tensor_overload new_full new_ones new_zeros ones zeros scalar_tensor tril_indices triu_indices""",
    "conversions of element types, in weft types of C++": """bfloat16 bool byte char double float half int long short
        cdouble cfloat chalf to item""",
    "functions of complex numbers": """angle complex conj conj_physical resolve_conj resolve_neg imag real isreal polar
        view_as_complex view_as_real nn.functional.silu.complex istft stft fft.hfft fft.hfft2 fft.hfftn fft.ihfft2
        linalg.eig linalg.eigvals""",
    "PyTorch's own internals and compilers": """_batch_norm_with_update _chunk_cat _native_batch_norm_legit
        _segment_reduce.lengths _segment_reduce.offsets _softmax_backward_data _unsafe_masked_index
        _unsafe_masked_index_put_accumulate _upsample_bilinear2d_aa jiterator_2inputs_2outputs
        jiterator_4inputs_with_extra_args jiterator_binary jiterator_binary_return_by_ref jiterator_unary
        max_pool2d_with_indices_backward native_batch_norm native_dropout_backward native_group_norm native_layer_norm
        torch._scaled_mm torch._scaled_mm_v2 torch.ops.aten._efficient_attention_forward
        torch.ops.aten._flash_attention_forward torch.ops.aten._safe_softmax.default
        torch.ops.aten._scaled_dot_product_flash_attention_for_cpu hash_tensor nonzero_static
        nn.functional.linear_cross_entropy nn.functional.linear_cross_entropy.chunked
        nn.functional.linear_cross_entropy.chunked_none sparse.mm.reduce sparse.sampled_addmm to_sparse""",
    "masked operators, in weft where(mask, x, v) and the operator": """masked.amax masked.amin masked.argmax masked.argmin
        masked.cumprod masked.cumsum masked.log_softmax masked.logaddexp masked.logsumexp masked.mean masked.median
        masked.norm masked.normalize masked.prod masked.softmax masked.softmin masked.std masked.sum masked.var""",
    "layers with options or states of their own, tested in tests/nn": """nn.functional.batch_norm
        nn.functional.batch_norm.without_cudnn nn.functional.group_norm nn.functional.instance_norm
        nn.functional.local_response_norm nn.functional.embedding_bag nn.functional.multi_head_attention_forward
        nn.functional.ctc_loss nn.functional.multi_margin_loss nn.functional.triplet_margin_with_distance_loss
        nn.functional.max_unpool1d nn.functional.max_unpool1d.grad nn.functional.max_unpool2d
        nn.functional.max_unpool2d.grad nn.functional.max_unpool3d nn.functional.max_unpool3d.grad
        nn.functional.grid_sample grid_sampler_2d grid_sampler_3d nn.functional.channel_shuffle nn.functional.pdist
        nn.functional.upsample_bilinear nn.functional.upsample_nearest""",
    "factors in LAPACK's packed form": """geqrf ormqr linalg.householder_product linalg.ldl_factor linalg.ldl_factor_ex
        linalg.ldl_solve linalg.lu_factor linalg.lu_factor_ex linalg.lu_solve lu lu_solve lu_unpack linalg.cholesky_ex
        linalg.inv_ex linalg.solve_ex""",
    "functions that weft does not have": """special.airy_ai special.spherical_bessel_j0
        special.shifted_chebyshev_polynomial_t special.shifted_chebyshev_polynomial_u
        special.shifted_chebyshev_polynomial_v special.shifted_chebyshev_polynomial_w linalg.matrix_sqrth linalg.polar
        signal.windows.cosine signal.windows.exponential signal.windows.general_cosine signal.windows.general_hamming
        signal.windows.nuttall""",
    "polynomials whose degree differs by element": """special.chebyshev_polynomial_t special.chebyshev_polynomial_u
        special.chebyshev_polynomial_v special.chebyshev_polynomial_w special.hermite_polynomial_h
        special.hermite_polynomial_he special.laguerre_polynomial_l special.legendre_polynomial_p""",
    "several results or orders by options, in weft functions of their own": """unique unique_consecutive histogram
        histogramdd gradient norm norm.fro norm.inf norm.nuc linalg.norm linalg.norm.subgradients_at_zero linalg.lstsq
        renorm ldexp""",
    "statements rather than functions: slices, views, shapes": """__getitem__ slice as_strided as_strided.partial_views
        as_strided_copy as_strided_scatter broadcast_shapes zero_ linalg.tensorinv linalg.tensorsolve
        bitwise_left_shift bitwise_right_shift""",
}
REASON = {name: reason for reason, names in REASONS.items() for name in names.split()}
# What makes vectors that are unique but for their signs comparable.
SIGNLESS = {"linalg.eigh": (1,), "linalg.svd": (0, 2), "svd": (0, 2)}
# Of these the first result alone.
FIRST = {"linalg.lstsq.grad_oriented"}
# Their factors have no gradient in the triangle that is not read; in PyTorch they do.
FACTORS = {"cholesky_solve": "input2", "cholesky_inverse": "input"}
VALUES_ONLY = {name[1:] for name in TABLE if name.startswith("-")}
TABLE = {name.lstrip("-"): names.split() for name, names in TABLE.items()}


def encode(name, op, sample, torch):
    wants = op.supports_autograd and name not in VALUES_ONLY
    if TABLE[name][:1] == ["*"]:
        first = [sample.input] if isinstance(sample.input, torch.Tensor) else list(sample.input)
        named = {"input": first + list(sample.args)}
    else:
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
        if key == "dtype" and value == torch.float64 or key == "device" and str(value) == "cpu":
            continue
        if key == "requires_grad" and not value:
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
    results = results[:1] if name in FIRST else results
    results = [r.abs() if i in SIGNLESS.get(name, ()) else r for i, r in enumerate(results)]
    expected = [string(f"out{i}") + array(r) for i, r in enumerate(results)]
    # The gradients of the outputs times a cosine each.
    real = all(r.dtype == torch.float64 for r in results if r.requires_grad)
    if wants and real and leaves and any(r.requires_grad for r in results):
        loss = sum((r * torch.cos(torch.arange(r.numel(), dtype=torch.float64)).reshape(r.shape)).sum()
                   for r in results if r.requires_grad)
        grads = torch.autograd.grad(loss, [v for _, v in leaves], allow_unused=True)
        for (key, value), g in zip(leaves, grads):
            if g is not None and FACTORS.get(name) == key:
                g = g.triu() if named.get("upper") else g.tril()
            expected.append(string(f"grad {key}") + array(torch.zeros_like(value) if g is None else g))
    inputs = [key for key, _ in leaves] if len(expected) > len(results) else []
    node = (string(SPELLED.get(name, name)) + integer(0) + integer(len(attributes)) + b"".join(attributes) +
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
        if name not in TABLE:
            left.append((name, REASON.get(name, "")))
            continue
        seen.add(name)
        torch.manual_seed(0)
        dtype = torch.float64 if torch.float64 in op.dtypes else torch.int64
        try:
            samples = list(op.sample_inputs("cpu", dtype, requires_grad=op.supports_autograd and dtype.is_floating_point))
        except Exception as e:
            left.append((name, f"refused by PyTorch: {type(e).__name__}"))
            continue
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
        if not reason:
            print(f"{name}\tfailed\tan operator with neither a line nor a reason in opinfo_cases.py")
        else:
            print(f"{name}\tnot expressible\t{reason}")
    print(count, "cases", file=sys.stderr)
