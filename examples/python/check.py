#!/usr/bin/env python3
"""Uses the module with NumPy, and with PyTorch and JAX where they are installed."""
import gc
import sys

try:
    import numpy as np
    import weft_example
except ImportError as error:
    print(f"skipped: {error}")
    sys.exit(77)


def softmax(x):
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


x = np.random.default_rng(0).standard_normal((4, 6), dtype=np.float32)
y = np.from_dlpack(weft_example.softmax(x))
gc.collect()  # the result owns its elements
np.testing.assert_allclose(y, softmax(x), rtol=1e-6)
np.testing.assert_allclose(np.from_dlpack(weft_example.softmax(x.T[::-1])), softmax(x.T[::-1]), rtol=1e-6)

twice = 2 * x
weft_example.scale(x, 2)  # in place: no copy was made
np.testing.assert_array_equal(x, twice)
weft_example.scale(x[1::2, ::-1], 0)
assert not x[1::2].any() and (x[::2] == twice[::2]).all()

for wrong, says in ((x.astype(np.float64), "a tensor of type float64, expected float32"),):
    try:
        weft_example.softmax(wrong)
    except ValueError as error:
        assert says in str(error), error
    else:
        raise AssertionError("no error")

x.flags.writeable = False
if np.lib.NumpyVersion(np.__version__) >= "2.1.0":  # which has DLPack 1.0, and so read-only arrays
    np.testing.assert_allclose(np.from_dlpack(weft_example.softmax(x)), softmax(x), rtol=1e-6)
    try:
        weft_example.scale(x, 2)
    except ValueError as error:
        assert "a read-only tensor" in str(error), error
    else:
        raise AssertionError("wrote into a read-only array")

count = sys.getrefcount(twice)
for _ in range(100):
    weft_example.softmax(twice)  # not taken: its capsule is never asked for
    np.from_dlpack(weft_example.softmax(twice))
    weft_example.softmax(twice).__dlpack__()  # taken by nobody
gc.collect()
assert sys.getrefcount(twice) == count
print("NumPy", np.__version__)



def check_torch(torch, device):
    """Both ways with PyTorch, and in place."""
    t = torch.arange(6.0, device=device).reshape(2, 3).t()
    out = torch.from_dlpack(weft_example.softmax(t))
    assert out.device == t.device and torch.allclose(out, torch.softmax(t, -1))
    weft_example.scale(t, 3)
    assert t[2, 1].item() == 15
    print("PyTorch", torch.__version__, "on", t.device)


def check_torch_streams(torch):
    """What PyTorch has queued on its stream comes before weft's work, and that before what follows."""
    n = 1 << 24
    for stream in (torch.cuda.default_stream(), torch.cuda.Stream()):
        with torch.cuda.stream(stream):
            number = stream.cuda_stream
            for i in range(20):
                x = torch.full((n,), float(i), device="cuda")
                torch.cuda._sleep(3_000_000)  # a millisecond or two, which whoever does not wait overtakes
                x += 1
                weft_example.scale(x, 2, stream=number)
                twice = x.clone()
                y = torch.from_dlpack(weft_example.softmax(x.reshape(-1, 1024), stream=number))
                x.normal_()
                assert torch.equal(twice, torch.full_like(x, 2.0 * (i + 1))), i
                assert torch.equal(y, torch.full_like(y, 1 / 1024)), i
            torch.cuda.current_stream().synchronize()
    shared = torch.arange(1024.0, device="cuda").reshape(1, -1)
    made = weft_example.softmax(shared)
    first, second = torch.from_dlpack(made), torch.from_dlpack(made)
    assert first.data_ptr() == second.data_ptr()  # no copies
    before = torch.cuda.memory_allocated()
    for _ in range(100):
        weft_example.softmax(torch.ones(1024, 1024, device="cuda"))
    torch.cuda.synchronize()
    assert torch.cuda.memory_allocated() <= before + (8 << 20)  # each array was given back
    print("PyTorch's streams")


def check_jax(jax, device):
    j = jax.device_put(jax.numpy.arange(6.0, dtype="float32").reshape(2, 3), device)
    out = jax.dlpack.from_dlpack(weft_example.softmax(j))
    assert np.allclose(out, jax.nn.softmax(j)) and out.devices() == j.devices()
    print("JAX", jax.__version__, "on", device.platform)


on_gpu = weft_example.takes_gpu_arrays
try:
    import torch
    check_torch(torch, "cpu")
    if on_gpu and torch.cuda.is_available():
        check_torch(torch, "cuda")
        check_torch_streams(torch)
    elif torch.cuda.is_available():
        try:
            weft_example.softmax(torch.ones(2, 3, device="cuda"))
        except ValueError as error:
            assert "a tensor on device type 2, number 0, expected cpu" in str(error), error
        else:
            raise AssertionError("a GPU array in a module without CUDA")
except ImportError:
    pass
try:
    import jax
    check_jax(jax, jax.devices("cpu")[0])
    if on_gpu and jax.default_backend() == "gpu":
        check_jax(jax, jax.devices("gpu")[0])
except ImportError:
    pass
if on_gpu:
    try:
        import cupy
        if cupy.cuda.is_available():
            x = cupy.arange(6, dtype="float32").reshape(2, 3).T
            y = cupy.from_dlpack(weft_example.softmax(x))
            e = cupy.exp(x - x.max(-1, keepdims=True))
            assert cupy.allclose(y, e / e.sum(-1, keepdims=True))
            with cupy.cuda.Stream(non_blocking=True) as stream:
                weft_example.scale(x, 2, stream=stream.ptr)
                cupy.testing.assert_array_equal(x, 2 * cupy.arange(6, dtype="float32").reshape(2, 3).T)
            print("CuPy", cupy.__version__)
    except ImportError:
        pass
