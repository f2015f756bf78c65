#!/usr/bin/env python3
"""PyTorch's times for the cases of bench/sequence.cu: the best of eager, torch.compile and one CUDA
graph, a line of JSON each.

    python3 torch_sequence.py [CASE...]
"""
import torch
from torch import nn
from torch.nn import functional as F

from torch_timing import time_cases

torch.backends.cuda.matmul.allow_tf32 = True
torch.backends.cudnn.allow_tf32 = True
DEVICE = "cuda"


def attention(width, both):
    q, k, v = (torch.randn(8, 16, 4096, width, device=DEVICE, dtype=torch.bfloat16,
                           requires_grad=both) for _ in range(3))
    g = torch.randn_like(q)

    def step():
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        if both:
            torch.autograd.grad(y, (q, k, v), g)

    return step, None


def recurrent(kind, width, batch, length, layers, both):
    net = kind(width, width, layers).to(DEVICE)
    x = torch.randn(length, batch, width, device=DEVICE)
    g = torch.randn_like(x)

    def step():
        if not both:
            with torch.no_grad():
                net(x)
            return
        for p in net.parameters():
            p.grad = None
        net(x)[0].backward(g)

    return step, None


def encoder_step():
    layer = nn.TransformerEncoderLayer(512, 8, 2048, batch_first=True)
    net = nn.TransformerEncoder(layer, 4).to(DEVICE)
    optimizer = torch.optim.AdamW(net.parameters(), capturable=True, fused=True)
    x = torch.randn(32, 256, 512, device=DEVICE)
    compiled = torch.compile(net)

    def make(f):
        def step():
            optimizer.zero_grad(set_to_none=False)
            f(x).square().mean().backward()
            optimizer.step()
        return step

    return make(net), make(compiled)


class MiniLm(nn.Module):
    """The formulas of all-MiniLM-L6-v2's encoder."""
    def __init__(self):
        super().__init__()
        self.words, self.places = nn.Embedding(30522, 384), nn.Embedding(512, 384)
        self.norm = nn.LayerNorm(384)
        self.layers = nn.ModuleList(nn.TransformerEncoderLayer(384, 12, 1536, 0.0, "gelu",
                                                               batch_first=True) for _ in range(6))

    def forward(self, ids):
        x = self.norm(self.words(ids) + self.places.weight[:ids.shape[1]])
        for layer in self.layers:
            x = layer(x)
        return x


def minilm(dtype, batch, length):
    net = MiniLm().to(DEVICE, dtype).eval()
    ids = torch.randint(0, 30000, (batch, length), device=DEVICE)
    compiled = torch.compile(net)

    def make(f):
        def step():
            with torch.inference_mode():
                f(ids)
        return step

    return make(net), make(compiled)


CASES = {
    "attention_64": lambda: attention(64, False),
    "attention_64_both": lambda: attention(64, True),
    "attention_128": lambda: attention(128, False),
    "attention_128_both": lambda: attention(128, True),
    "lstm_2x512": lambda: recurrent(nn.LSTM, 512, 64, 128, 2, False),
    "lstm_2x512_both": lambda: recurrent(nn.LSTM, 512, 64, 128, 2, True),
    "gru_2x512": lambda: recurrent(nn.GRU, 512, 64, 128, 2, False),
    "gru_2x512_both": lambda: recurrent(nn.GRU, 512, 64, 128, 2, True),
    "lstm_1x1024": lambda: recurrent(nn.LSTM, 1024, 128, 64, 1, False),
    "lstm_1x1024_both": lambda: recurrent(nn.LSTM, 1024, 128, 64, 1, True),
    "encoder_step": encoder_step,
    "minilm_1x32": lambda: minilm(torch.bfloat16, 1, 32),
    "minilm_64x128": lambda: minilm(torch.bfloat16, 64, 128),
    "minilm_256x256": lambda: minilm(torch.bfloat16, 256, 256),
    "minilm_64x128_tf32": lambda: minilm(torch.float32, 64, 128),
}


if __name__ == "__main__":
    time_cases(CASES)
