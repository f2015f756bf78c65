#!/usr/bin/env python3
"""Makes examples/data/digits_images.npy and digits_labels.npy from the handwritten digits that
Debian's python3-sklearn ships: 1,797 lines of 64 pixels from 0 to 16 and the digit.

Give the path of its digits.csv.gz; without one, the installed package's is taken, or else the
package is fetched by apt-get (not installed). The output has the same bytes each time.
"""
import gzip
import subprocess
import sys
import tempfile
from pathlib import Path

DATA = Path(__file__).resolve().parent.parent / "examples" / "data"
CSV = Path("/usr/lib/python3/dist-packages/sklearn/datasets/data/digits.csv.gz")
COUNT, PIXELS = 1797, 64


def read(csv):
    rows = [list(map(int, line.split(","))) for line in gzip.open(csv, "rt")]
    assert len(rows) == COUNT and all(len(row) == PIXELS + 1 for row in rows), "not the digits"
    assert all(0 <= pixel <= 16 for row in rows for pixel in row[:PIXELS]), "a pixel is not 0 to 16"
    assert {row[PIXELS] for row in rows} == set(range(10)), "a label is not 0 to 9"
    return rows


def fetch(folder):
    subprocess.run(["apt-get", "download", "python3-sklearn"], cwd=folder, check=True)
    (package,) = Path(folder).glob("*.deb")
    subprocess.run(["dpkg-deb", "-x", package, folder], check=True)
    return Path(folder) / CSV.relative_to("/")


def write_npy(path, shape, data):
    """The .npy format, version 1.0, of unsigned bytes."""
    header = f"{{'descr': '|u1', 'fortran_order': False, 'shape': {shape}, }}"
    header += " " * (-(10 + len(header) + 1) % 64) + "\n"
    path.write_bytes(b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header.encode() + data)
    print(f"{path}: {shape}, {path.stat().st_size} bytes")


def main():
    with tempfile.TemporaryDirectory() as folder:
        csv = Path(sys.argv[1]) if len(sys.argv) > 1 else CSV if CSV.exists() else fetch(folder)
        rows = read(csv)
    images = bytes(pixel for row in rows for pixel in row[:PIXELS])
    labels = bytes(row[PIXELS] for row in rows)
    write_npy(DATA / "digits_images.npy", (COUNT, PIXELS), images)
    write_npy(DATA / "digits_labels.npy", (COUNT,), labels)


if __name__ == "__main__":
    main()
