#!/usr/bin/env python3
"""Writes the first inputs of each fuzz target: seeds.py FOLDER. Small, valid, and some nearly so."""
import gzip
import io
import json
import struct
import sys
import zipfile
from pathlib import Path

FOLDER = Path(sys.argv[1])


def seed(target, name, data):
    (FOLDER / target).mkdir(parents=True, exist_ok=True)
    (FOLDER / target / name).write_bytes(data)


def npy(descr, order, shape, data, version=1):
    header = f"{{'descr': '{descr}', 'fortran_order': {order}, 'shape': {shape}, }}".encode()
    length = 2 if version == 1 else 4
    header += b" " * (63 - (8 + length + len(header)) % 64) + b"\n"
    return b"\x93NUMPY" + bytes([version, 0]) + struct.pack("<H" if version == 1 else "<I", len(header)) + header + data


FILES = {"f4": npy("<f4", False, "(2, 3)", bytes(24)), "f8_big": npy(">f8", True, "(2, 2)", bytes(32)),
         "bool": npy("|b1", False, "(3,)", b"\0\1\1"), "scalar": npy("<i8", False, "()", bytes(8)),
         "empty": npy("<u2", False, "(0, 7)", b""), "version2": npy("<c16", False, "(1,)", bytes(16), 2)}
for name, data in FILES.items():
    seed("npy", name, data)

for compression in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", compression) as archive:
        for name, data in FILES.items():
            archive.writestr(f"{name}.npy", data)
    for target in ("npz", "zip"):
        seed(target, f"all_{compression}", stream.getvalue())
stream = io.BytesIO()
with zipfile.ZipFile(stream, "w") as archive:
    with archive.open("x.npy", "w", force_zip64=True) as member:
        member.write(FILES["f4"])
    archive.comment = b"a comment"
seed("npz", "zip64", stream.getvalue())
seed("zip", "zip64", stream.getvalue())

INDICES = {"csr": ("indices", "indptr"), "csc": ("indices", "indptr"), "coo": ("row", "col")}
for kind, (first, second) in INDICES.items():
    outer = (0, 1, 3) if second == "indptr" else (0, 1, 2)
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        archive.writestr(f"{first}.npy", npy("<i4", False, "(3,)", struct.pack("<3i", 0, 1, 1)))
        archive.writestr(f"{second}.npy", npy("<i4", False, "(3,)", struct.pack("<3i", *outer)))
        archive.writestr("format.npy", npy("|S3", False, "()", kind.encode()))
        archive.writestr("shape.npy", npy("<i8", False, "(2,)", struct.pack("<2q", *((2, 2) if kind != "coo" else (2, 3)))))
        archive.writestr("data.npy", npy("<f4", False, "(3,)", bytes(12)))
    seed("sparse_npz", kind, stream.getvalue())

for name, header, data in (
        ("two", {"a": {"dtype": "F32", "shape": [2, 2], "data_offsets": [0, 16]},
                 "b": {"dtype": "BF16", "shape": [], "data_offsets": [16, 18]}, "__metadata__": {"k": "v\u00e9"}}, bytes(18)),
        ("none", {}, b""), ("empty", {"x": {"dtype": "I64", "shape": [0, 3], "data_offsets": [0, 0]}}, b""),
        ("hole", {"x": {"dtype": "U8", "shape": [2], "data_offsets": [1, 3]}}, bytes(3))):
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    seed("safetensors", name, struct.pack("<Q", len(text)) + text + data)

images = struct.pack(">I3I", 0x803, 2, 3, 3) + bytes(range(18))
doubles = struct.pack(">I1I", 0xE01, 2) + struct.pack(">2d", 1.5, -2)
for name, data in (("images", images), ("doubles", doubles)):
    seed("idx", name, data)
    seed("idx", name + "_gz", gzip.compress(data, mtime=0))
seed("gzip", "one", gzip.compress(b"some text, some text", mtime=0))
seed("gzip", "two", gzip.compress(b"one", mtime=0) + gzip.compress(b"two" * 99, mtime=0))
seed("gzip", "long", gzip.compress(bytes(3_600_000), mtime=0))
seed("gzip", "plain", b"not compressed")
seed("cifar", "ten", bytes([3]) + bytes(3072))
seed("cifar", "hundred", bytes([3, 70]) + bytes(3072))
seed("csv", "table", b"a,b,c\n1,2.5,x\n-3,1e9,\"y, \"\"z\"\"\"\n")
seed("csv", "quotes", b'"a\nb","c"\r\n"1","nan"\r\n')
seed("json", "object", b"\x00\x01\x03\x02" * 4 + b'{"a": [1, 2], "b": ["\\u00e9\\n\\ud83d\\ude00"]}')
seed("json", "array", b"\x01\x03\x03\x03" * 4 + b"[0, 10, 9223372036854775807]")

tensor = struct.pack("<QiiiBBHQQQ", 1, 1, 0, 2, 2, 32, 1, 1, 1, 8)
managed = struct.pack("<IIQQQ", 1, 0, 0, 0, 0) + tensor
seed("dlpack", "matrix", struct.pack("<10q", 2, 3, *[0] * 8) + struct.pack("<10q", 3, 1, *[0] * 8) + managed)
seed("dlpack", "turned", struct.pack("<10q", 3, 2, *[0] * 8) + struct.pack("<10q", -1, 3, *[0] * 8) + managed)

VOCABULARY = "[PAD]\n[UNK]\n[CLS]\n[SEP]\na\nb\n##b\n##\u00e9\n,\n".encode()
seed("wordpiece", "words", VOCABULARY + b"\0Ab, abb " + "\u00c9a\u4e2d".encode() + b"\xff")
seed("wordpiece", "none", b"[UNK]\n\0a")
