#!/usr/bin/env python3
"""PyTorch's times for the cases of bench/fft.cu: the best of eager, torch.compile and one CUDA graph,
a line of JSON each.

    python3 torch_fft.py [CASE...]
"""
import torch
from torch.nn import functional as F

from torch_timing import time_cases

DEVICE = "cuda"


def numbers(*shape):
    return torch.randn(*shape, device=DEVICE, dtype=torch.complex64)


def lines(count, n):
    z = numbers(count, n)
    return lambda: torch.fft.fft(z), None


def columns():
    z = numbers(4096, 1024)
    return lambda: torch.fft.fft(z, dim=0), None


def images():
    z = numbers(16, 1024, 1024)
    return lambda: torch.fft.fft2(z), None


def real_line(back):
    x = torch.randn(1 << 24, device=DEVICE)
    spectrum = torch.fft.rfft(x)
    return (lambda: torch.fft.irfft(spectrum)) if back else (lambda: torch.fft.rfft(x)), None


def convolution(taps):
    """By conv1d for few taps and by transforms for many, whichever is faster."""
    x, gain = torch.randn(64, 65536, device=DEVICE), torch.rand(64, 1, device=DEVICE)
    h = torch.randn(taps, device=DEVICE)

    def direct(a, v):
        return torch.tanh(F.conv1d((a * gain).unsqueeze(1), v.flip(0).view(1, 1, -1),
                                   padding=taps // 2) + 0.5)

    def by_fft(a, v):
        n = 70000 if taps > 4000 else 65610
        y = torch.fft.irfft(torch.fft.rfft(a * gain, n) * torch.fft.rfft(v, n), n)
        return torch.tanh(y[:, taps // 2:taps // 2 + 65536] + 0.5)

    f = direct if taps < 1000 else by_fft
    compiled = torch.compile(f)
    return lambda: f(x, h), lambda: compiled(x, h)


def spectrogram(both):
    x = torch.randn(16, 1 << 18, device=DEVICE, requires_grad=both)
    window = torch.hann_window(1024, device=DEVICE)

    def power(a):
        return torch.log(torch.stft(a, 1024, 256, window=window, return_complex=True).abs()
                         .square() + 1e-6)

    def make(f):
        def step():
            if not both:
                f(x)
                return
            x.grad = None
            f(x).mean().backward()
        return step

    return make(power), make(torch.compile(power))


def gammas():
    shapes = torch.rand(1 << 24, device=DEVICE) * 5 + 0.1
    return lambda: torch._standard_gamma(shapes), None


def counts():
    rates = torch.rand(1 << 24, device=DEVICE) * 50
    return lambda: torch.poisson(rates), None


CASES = {
    "fft_1024x4096": lambda: lines(1024, 4096),
    "fft_65536x64": lambda: lines(65536, 64),
    "fft_1024x4099": lambda: lines(1024, 4099),
    "fft_columns": columns,
    "fft2_16x1024x1024": images,
    "rfft_2^24": lambda: real_line(False),
    "irfft_2^24": lambda: real_line(True),
    "convolve_33": lambda: convolution(33),
    "convolve_4097": lambda: convolution(4097),
    "stft": lambda: spectrogram(False),
    "stft_both": lambda: spectrogram(True),
    "gamma_2^24": gammas,
    "poisson_2^24": counts,
}


if __name__ == "__main__":
    time_cases(CASES)
