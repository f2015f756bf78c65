#!/usr/bin/env python3
"""Makes the reference bytes in tests/io/*_reference.inc with the libraries that define the formats.

Run in an environment with NumPy and safetensors (`pip install numpy==2.4.6 safetensors==0.8.0`);
the same versions make the same bytes.
"""
import gzip
import io
from pathlib import Path

import numpy as np
from safetensors.numpy import save

TESTS = Path(__file__).resolve().parent.parent / "tests" / "io"


def write(name, data):
    """The bytes as C++ string literals of hexadecimal digits."""
    text = data.hex()
    lines = [f'"{text[i:i + 96]}"\n' for i in range(0, len(text), 96)]
    (TESTS / f"{name}_reference.inc").write_text("".join(lines))


def safetensors():
    return save({
        "weight": np.array([[1, 2, 3], [4, 5, -6.5]], "<f4"),
        "bias": np.array([1, -1], "<f8"),
        'a/é\n"\\\x01\x7f': np.array(7, "<i8"),
        "step": np.array([9], "<u8"),
        "mask": np.array([True, False]),
        "empty": np.zeros((0, 3), "<f4"),
        "half": np.array([1, -2, 65504], "<f2"),
        "u8": np.array([255], "u1"),
        "i8": np.array([-1], "i1"),
        "i16": np.array([-2], "<i2"),
        "u16": np.array([65535], "<u2"),
        "i32": np.array([-3], "<i4"),
        "u32": np.array([3], "<u4"),
        "c64": np.array([1 + 2j], "<c8"),
    }, metadata={"format": "weft"})


def npz(save):
    file = io.BytesIO()
    save(file, a=np.array([[1, 2, 3], [4, 5, -6]], "<i4"), **{
        "b/é": np.zeros((2, 0)),
        "fortran": np.asfortranarray(np.array([[1, 2], [3, 4]], ">f8")),
        "scalar": np.array(True),
        "many": np.repeat(np.arange(4, dtype="<u2"), 300),
    })
    return file.getvalue()


if __name__ == "__main__":
    write("npz", npz(np.savez))
    write("npz_compressed", npz(np.savez_compressed))
    write("gzip", gzip.compress(bytes(range(256)) * 4, mtime=0))
    write("safetensors", safetensors())
