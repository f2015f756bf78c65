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

try:
    import torch
    t = torch.arange(6.0).reshape(2, 3).t()
    out = torch.from_dlpack(weft_example.softmax(t))
    assert torch.allclose(out, torch.softmax(t, -1))
    weft_example.scale(t, 3)
    assert t[2, 1] == 15
    print("PyTorch", torch.__version__)
except ImportError:
    pass
try:
    import jax
    j = jax.numpy.arange(6.0).reshape(2, 3)
    assert np.allclose(jax.dlpack.from_dlpack(weft_example.softmax(j)), jax.nn.softmax(j))
    print("JAX", jax.__version__)
except ImportError:
    pass
