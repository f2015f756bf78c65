#!/usr/bin/env python3
"""Writes examples/search/vectors.npy: what PyTorch makes of the sentences of
examples/search/sentences.txt with all-MiniLM-L6-v2, whose folder (model.safetensors, tokenizer.json)
is the argument. The formulas of Hugging Face's BertModel are written out. Needs numpy, PyTorch and
tokenizers.
"""
import json
import struct
import sys
from pathlib import Path

import numpy
import torch
from tokenizers import Tokenizer
from torch.nn import functional as F

HERE = Path(__file__).resolve().parent.parent / "examples" / "search"


def load(path):
    raw = path.read_bytes()
    size = struct.unpack("<Q", raw[:8])[0]
    header = json.loads(raw[8:8 + size])
    data = {}
    for name, entry in header.items():
        if name != "__metadata__" and entry["dtype"] == "F32":
            begin, end = (8 + size + offset for offset in entry["data_offsets"])
            array = numpy.frombuffer(raw[begin:end], dtype="<f4").reshape(entry["shape"])
            data[name] = torch.tensor(array, dtype=torch.float64)
    return data


def main():
    folder = Path(sys.argv[1])
    w = load(folder / "model.safetensors")
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.enable_truncation(256)
    line = lambda x, name: F.linear(x, w[name + ".weight"], w[name + ".bias"])
    norm = lambda x, name: F.layer_norm(x, (384,), w[name + ".weight"], w[name + ".bias"], 1e-12)
    vectors = []
    for sentence in (HERE / "sentences.txt").read_text().splitlines():
        ids = torch.tensor(tokenizer.encode(sentence).ids)
        at = "embeddings."
        x = w[at + "word_embeddings.weight"][ids] + w[at + "position_embeddings.weight"][:len(ids)]
        x = norm(x + w[at + "token_type_embeddings.weight"][0], at + "LayerNorm")
        for i in range(6):
            at = f"encoder.layer.{i}."
            q, k, v = (line(x, f"{at}attention.self.{n}").reshape(len(ids), 12, 32).transpose(0, 1)
                       for n in ["query", "key", "value"])
            y = ((q @ k.transpose(-1, -2) / 32 ** 0.5).softmax(-1) @ v).transpose(0, 1).flatten(1)
            x = norm(x + line(y, at + "attention.output.dense"), at + "attention.output.LayerNorm")
            y = line(F.gelu(line(x, at + "intermediate.dense")), at + "output.dense")
            x = norm(x + y, at + "output.LayerNorm")
        vectors.append(F.normalize(x.mean(0), dim=0))
    numpy.save(HERE / "vectors.npy", torch.stack(vectors).float().numpy())


if __name__ == "__main__":
    main()
