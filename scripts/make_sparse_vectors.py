#!/usr/bin/env python3
"""Makes tests/ops/sparse/scipy_vectors.inc and tests/io/scipy_*_reference.inc: what SciPy computes of
sparse matrices, and the files that its save_npz writes.

Run in an environment with SciPy (`pip install scipy==1.17.1 numpy==2.4.6`); the same versions make the
same cases. Numbers are small integers, so that sums are exact in any order.
"""
import io
from pathlib import Path

import numpy as np
import scipy.sparse as sp

TESTS = Path(__file__).resolve().parent.parent / "tests"


def braces(values):
    return "{" + ", ".join(str(int(v)) for v in np.asarray(values).ravel()) + "}"


def case(rng, rows, columns, count, width):
    """Triplets, some of one place, and what is made of them."""
    row, col = rng.integers(0, rows, count), rng.integers(0, columns, count)
    value = rng.integers(-4, 5, count)
    a = sp.coo_array((value, (row, col)), shape=(rows, columns))
    csr = a.tocsr()
    csr.sum_duplicates()
    x, b = rng.integers(-3, 4, (columns, width)), rng.integers(-3, 4, width)
    left, right = rng.integers(-3, 4, (rows, width)), rng.integers(-3, 4, (width, columns))
    other = sp.random_array((rows, columns), density=0.3, rng=rng, format="csr",
                            data_sampler=lambda size: rng.integers(1, 5, size))
    other.sort_indices()
    turned = csr.T.tocsr()
    turned.sort_indices()
    total = (csr + other).tocsr()
    pattern = csr.copy()
    pattern.data = np.ones_like(csr.data)
    parts = [[rows, columns, width], row, col, value, csr.indptr, csr.indices, csr.data, csr.toarray(),
             turned.indptr, turned.indices, turned.data, x, b, csr @ x, np.maximum(csr @ x + b, 0), csr @ x[:, 0],
             left, right, (left @ right)[np.repeat(np.arange(rows), np.diff(csr.indptr)), csr.indices],
             other.toarray(), total.toarray(), csr.multiply(other).toarray(), csr.sum(axis=0), csr.sum(axis=1),
             csr.diagonal(1) if columns > 1 else []]
    return "  {" + ",\n   ".join(braces(p) for p in parts) + "},\n"


def file_bytes(matrix, compressed=False):
    out = io.BytesIO()
    sp.save_npz(out, matrix, compressed=compressed)
    return out.getvalue()


def write_hex(name, data):
    lines = [data[i:i + 48].hex() for i in range(0, len(data), 48)]
    (TESTS / "io" / f"scipy_{name}_reference.inc").write_text("".join(f'"{line}"\n' for line in lines))


def main():
    rng = np.random.default_rng(19)
    shapes = [(5, 7, 12, 3), (1, 9, 6, 4), (8, 1, 5, 1), (16, 16, 60, 8), (40, 30, 200, 5)]
    head = "// Made by scripts/make_sparse_vectors.py. Parts in the order of struct Case.\n// clang-format off\n"
    (TESTS / "ops" / "sparse" / "scipy_vectors.inc").write_text(
        head + "".join(case(rng, *shape) for shape in shapes))
    a = sp.coo_array((np.array([1.5, -2, 3, 4]), (np.array([2, 0, 2, 1], np.int32), np.array([1, 3, 1, 0], np.int32))),
                     shape=(3, 4))
    write_hex("coo", file_bytes(a))
    write_hex("csr", file_bytes(a.tocsr()))
    unsorted = sp.csr_array((np.array([1, 2, 3], np.float32), np.array([3, 0, 1]), np.array([0, 2, 2, 3])), shape=(3, 4))
    unsorted.indices, unsorted.indptr = unsorted.indices.astype(np.int64), unsorted.indptr.astype(np.int64)
    write_hex("unsorted", file_bytes(unsorted, compressed=True))
    write_hex("csc", file_bytes(sp.csc_matrix(a)))
    write_hex("dia", file_bytes(sp.dia_array((np.ones((1, 3)), [0]), shape=(3, 3))))


if __name__ == "__main__":
    main()
