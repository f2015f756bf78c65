#!/usr/bin/env python3
"""Writes tests/nn/data/sequence.safetensors: what PyTorch computes of attention, Transformers and
recurrent layers, for the tests in tests/autograd and tests/nn. Needs PyTorch (1.13 has made the file).
"""
import torch
from torch import nn
from torch.nn import functional as F

import make_training_vectors as vectors
from make_training_vectors import put

vectors.OUT = vectors.OUT.with_name("sequence.safetensors")


def loss(y):
    return (y * y * torch.arange(1, y.numel() + 1).reshape(y.shape)).sum()


def random(*shape):
    return torch.randn(*shape, dtype=torch.float64)


def attention():
    """By the formula, since the function itself came with PyTorch 2.0."""
    def run(name, q, k, v, allowed=None, added=None, scale=None):
        if allowed is not None:
            put(f"attention.{name}.allowed", allowed.long())
        if added is not None:
            put(f"attention.{name}.added", added)
        inputs = [x.clone().requires_grad_() for x in (q, k, v)]
        a, b, c = inputs
        group = q.shape[1] // k.shape[1]
        b, c = b.repeat_interleave(group, 1), c.repeat_interleave(group, 1)
        scores = a @ b.transpose(-1, -2) * (scale or q.shape[-1] ** -0.5)
        if allowed is not None:
            scores = scores.masked_fill(~allowed, -torch.inf)
        if added is not None:
            scores = scores + added
        y = scores.softmax(-1) @ c
        loss(y).backward()
        put(f"attention.{name}.y", y)
        for letter, x in zip("qkv", inputs):
            put(f"attention.{name}.{letter}", x)
            put(f"attention.{name}.d{letter}", x.grad)

    q, k, v = random(2, 4, 5, 6), random(2, 4, 7, 6), random(2, 4, 7, 3)
    run("plain", q, k, v)
    run("scaled", q, k, v, scale=0.3)
    run("causal", q, k, v, allowed=torch.ones(5, 7).tril().bool())
    run("late", q, k, v, allowed=torch.ones(5, 7).tril(2).bool())
    keep = torch.rand(2, 1, 5, 7) < 0.7
    keep[..., 0] = True
    run("masked", q, k, v, allowed=keep)
    run("added", q, k, v, added=random(4, 5, 7))
    run("grouped", q, random(2, 2, 7, 6), random(2, 2, 7, 3))


def run(name, module, *inputs, **options):
    """inputs: what requires a gradient and is numbered; the outputs are one tensor or several."""
    module = module.double()
    for p in module.parameters():
        p.data += 0.1 * torch.randn_like(p)
    for key, value in module.state_dict().items():
        put(f"{name}.before.{key}", value)
    inputs = [x.clone().requires_grad_() if x.is_floating_point() else x for x in inputs]
    y = module(*inputs, **options)
    outputs = []

    def flatten(x):
        if isinstance(x, torch.Tensor):
            outputs.append(x)
        elif x is not None:
            for part in x:
                flatten(part)

    flatten(y)
    sum(loss(x) for x in outputs).backward()
    for i, x in enumerate(inputs):
        put(f"{name}.x{i}", x)
        if x.is_floating_point():
            put(f"{name}.dx{i}", x.grad)
    for i, x in enumerate(outputs):
        put(f"{name}.y{i}", x)
    for key, value in module.named_parameters():
        put(f"{name}.grad.{key}", value.grad)


def transformers():
    mask = torch.ones(4, 4).triu(1).bool()
    padding = torch.tensor([[False, False, False, True], [False, False, False, False]])
    memory_padding = torch.tensor([[False, False, True], [False, False, False]])
    put("mask.causal", mask.long())
    put("mask.padding", padding.long())
    put("mask.memory_padding", memory_padding.long())
    x, memory = random(4, 2, 8), random(3, 2, 8)
    run("mha.self", nn.MultiheadAttention(8, 2), x, x, x, attn_mask=mask, key_padding_mask=padding)
    run("mha.wide", nn.MultiheadAttention(8, 2, kdim=5, vdim=6, batch_first=True, add_bias_kv=False),
        random(2, 4, 8), random(2, 3, 5), random(2, 3, 6), key_padding_mask=memory_padding)
    run("mha.plain", nn.MultiheadAttention(8, 4, bias=False), x, memory, memory,
        average_attn_weights=False)
    layer = nn.TransformerEncoderLayer
    run("encoder_layer.post", layer(8, 2, 12, 0.0), x, src_mask=mask, src_key_padding_mask=padding)
    run("encoder_layer.pre", layer(8, 2, 12, 0.0, "gelu", norm_first=True, batch_first=True),
        random(2, 4, 8))
    layer = nn.TransformerDecoderLayer
    run("decoder_layer.post", layer(8, 2, 12, 0.0), x, memory, tgt_mask=mask,
        tgt_key_padding_mask=padding, memory_key_padding_mask=memory_padding)
    run("decoder_layer.pre", layer(8, 2, 12, 0.0, "gelu", norm_first=True), x, memory)
    run("transformer", nn.Transformer(8, 2, 2, 1, 12, 0.0), memory, x, tgt_mask=mask,
        src_key_padding_mask=memory_padding)


def recurrent():
    x = random(5, 3, 4)
    run("rnn.plain", nn.RNN(4, 6), x)
    run("rnn.relu", nn.RNN(4, 6, 2, nonlinearity="relu", bidirectional=True, batch_first=True), random(3, 5, 4),
        random(4, 3, 6))
    run("gru.plain", nn.GRU(4, 6), x)
    run("gru.deep", nn.GRU(4, 3, 2, bidirectional=True, batch_first=True), random(3, 5, 4),
        random(4, 3, 3))
    run("lstm.plain", nn.LSTM(4, 6, bias=False), x)

    class Stateful(nn.LSTM):
        def forward(self, x, h, c):
            return super().forward(x, (h, c))

    run("lstm.deep", Stateful(4, 3, 2, bidirectional=True, batch_first=True), random(3, 5, 4),
        random(4, 3, 3), random(4, 3, 3))
    run("lstm.projected", Stateful(4, 6, 2, bidirectional=True, proj_size=2), x, random(4, 3, 2),
        random(4, 3, 6))

    class Packed(nn.Module):
        def __init__(self, rnn):
            super().__init__()
            self.rnn = rnn

        def forward(self, x):
            lengths = torch.tensor([3, 5, 1])
            put("packed.lengths", lengths)
            y, state = self.rnn(nn.utils.rnn.pack_padded_sequence(x, lengths, enforce_sorted=False))
            return nn.utils.rnn.pad_packed_sequence(y)[0], state

    run("packed.lstm", Packed(nn.LSTM(4, 3, 2, bidirectional=True)), x)
    run("packed.gru", Packed(nn.GRU(4, 3, bidirectional=True)), x)
    run("packed.rnn", Packed(nn.RNN(4, 3)), x)
    run("cell.rnn", nn.RNNCell(4, 6), random(3, 4), random(3, 6))
    run("cell.gru", nn.GRUCell(4, 6), random(3, 4), random(3, 6))

    class Cell(nn.LSTMCell):
        def forward(self, x, h, c):
            return super().forward(x, (h, c))

    run("cell.lstm", Cell(4, 6), random(3, 4), random(3, 6), random(3, 6))


def others():
    indices = torch.tensor([1, 2, 4, 5, 4, 3, 2, 2])
    offsets = torch.tensor([0, 3, 3, 7])
    put("bag.indices", indices)
    put("bag.offsets", offsets)
    for mode in ["sum", "mean", "max"]:
        run("bag." + mode, nn.EmbeddingBag(6, 3, mode=mode), indices, offsets)
    run("bag.padded", nn.EmbeddingBag(6, 3, mode="mean", padding_idx=2), indices, offsets)
    run("bag.matrix", nn.EmbeddingBag(6, 3, mode="sum"), indices.reshape(4, 2))
    run("prelu.one", nn.PReLU(), random(3, 4))
    run("prelu.each", nn.PReLU(4), random(3, 4, 2))
    run("glu", nn.GLU(1), random(3, 4, 2))


def linear_names(names, *sizes):
    return {f"{names}.weight": 0.3 * random(*sizes), f"{names}.bias": 0.1 * random(sizes[0])}


def norm_names(names, width):
    return {f"{names}.weight": 1 + 0.1 * random(width), f"{names}.bias": 0.1 * random(width)}


def heads(x, count):
    return x.reshape(*x.shape[:2], count, -1).transpose(1, 2)


def attend(q, k, v, count, hidden=None):
    """hidden is true for what is not attended to."""
    q, k, v = (heads(x, count) for x in (q, k, v))
    scores = q @ k.transpose(-1, -2) / q.shape[-1] ** 0.5
    if hidden is not None:
        scores = scores.masked_fill(hidden, -torch.inf)
    return (scores.softmax(-1) @ v).transpose(1, 2).flatten(2)


def bert():
    """The formulas of Hugging Face's BertModel, written out, on tensors with its names."""
    width, inner, count = 8, 12, 2
    w = {"embeddings.position_ids": torch.arange(6)[None],
         "embeddings.word_embeddings.weight": random(11, width),
         "embeddings.position_embeddings.weight": random(6, width),
         "embeddings.token_type_embeddings.weight": random(2, width),
         **norm_names("embeddings.LayerNorm", width)}
    for i in range(2):
        at = f"encoder.layer.{i}"
        for name in ["query", "key", "value"]:
            w |= linear_names(f"{at}.attention.self.{name}", width, width)
        w |= linear_names(f"{at}.attention.output.dense", width, width)
        w |= norm_names(f"{at}.attention.output.LayerNorm", width)
        w |= linear_names(f"{at}.intermediate.dense", inner, width)
        w |= linear_names(f"{at}.output.dense", width, inner)
        w |= norm_names(f"{at}.output.LayerNorm", width)
    w |= linear_names("pooler.dense", width, width)
    ids = torch.tensor([[1, 5, 3, 2, 0], [4, 4, 10, 7, 9]])
    mask = torch.tensor([[1, 1, 1, 0, 0], [1, 1, 1, 1, 1]])
    types = torch.tensor([[0, 0, 1, 0, 0], [0, 1, 1, 1, 1]])

    def run(types):
        line = lambda x, name: F.linear(x, w[name + ".weight"], w[name + ".bias"])
        norm = lambda x, name: F.layer_norm(x, (width,), w[name + ".weight"], w[name + ".bias"], 1e-12)
        x = w["embeddings.word_embeddings.weight"][ids]
        x = x + w["embeddings.position_embeddings.weight"][:5]
        x = norm(x + w["embeddings.token_type_embeddings.weight"][types], "embeddings.LayerNorm")
        for i in range(2):
            at = f"encoder.layer.{i}"
            q, k, v = (line(x, f"{at}.attention.self.{n}") for n in ["query", "key", "value"])
            y = attend(q, k, v, count, mask[:, None, None] == 0)
            x = norm(x + line(y, f"{at}.attention.output.dense"), f"{at}.attention.output.LayerNorm")
            y = line(F.gelu(line(x, f"{at}.intermediate.dense")), f"{at}.output.dense")
            x = norm(x + y, f"{at}.output.LayerNorm")
        return x

    for name, value in w.items():
        put("bert.file." + name, value)
    put("bert.ids", ids)
    put("bert.mask", mask)
    put("bert.types", types)
    y = run(types)
    put("bert.y", y)
    put("bert.plain", run(torch.zeros_like(types)))
    put("bert.pooled", F.linear(y[:, 0], w["pooler.dense.weight"], w["pooler.dense.bias"]).tanh())
    m = mask[..., None].double()
    put("bert.sentences", F.normalize((y * m).sum(1) / m.sum(1)))


def gpt():
    """The formulas of Hugging Face's GPT2LMHeadModel, written out, on tensors with its names."""
    width, count = 8, 2
    w = {"wte.weight": random(13, width), "wpe.weight": 0.5 * random(7, width),
         **norm_names("ln_f", width)}
    for i in range(2):
        for name, n, m in [("attn.c_attn", width, 3 * width), ("attn.c_proj", width, width),
                           ("mlp.c_fc", width, 4 * width), ("mlp.c_proj", 4 * width, width)]:
            w[f"h.{i}.{name}.weight"] = 0.3 * random(n, m)
            w[f"h.{i}.{name}.bias"] = 0.1 * random(m)
        w |= norm_names(f"h.{i}.ln_1", width) | norm_names(f"h.{i}.ln_2", width)
    ids = torch.tensor([[1, 5, 3, 2, 12], [4, 4, 10, 7, 9]])
    leaves = {name: value.requires_grad_() for name, value in w.items()}
    line = lambda x, name: x @ w[name + ".weight"] + w[name + ".bias"]
    norm = lambda x, name: F.layer_norm(x, (width,), w[name + ".weight"], w[name + ".bias"])
    x = w["wte.weight"][ids] + w["wpe.weight"][:5]
    for i in range(2):
        q, k, v = line(norm(x, f"h.{i}.ln_1"), f"h.{i}.attn.c_attn").split(width, 2)
        y = attend(q, k, v, count, torch.ones(5, 5).triu(1).bool())
        x = x + line(y, f"h.{i}.attn.c_proj")
        y = line(norm(x, f"h.{i}.ln_2"), f"h.{i}.mlp.c_fc")
        y = 0.5 * y * (1 + torch.tanh((2 / torch.pi) ** 0.5 * (y + 0.044715 * y ** 3)))
        x = x + line(y, f"h.{i}.mlp.c_proj")
    y = norm(x, "ln_f") @ w["wte.weight"].T
    loss(y).backward()
    for name, value in leaves.items():
        put("gpt.file.transformer." + name, value)
        put("gpt.grad." + name, value.grad)
    put("gpt.file.transformer.h.0.attn.bias", torch.ones(1, 1, 7, 7).tril().long())
    put("gpt.file.lm_head.weight", w["wte.weight"])
    put("gpt.ids", ids)
    put("gpt.y", y)


if __name__ == "__main__":
    torch.manual_seed(3)
    attention()
    transformers()
    recurrent()
    others()
    bert()
    gpt()
    vectors.save()
