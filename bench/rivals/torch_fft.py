#!/usr/bin/env python3
"""PyTorch's times for the cases of bench/fft.cu, in eager form, by torch.compile and as one CUDA graph, and
CuPy's where it is installed: a line of JSON each.

    python3 torch_fft.py [CASE...]
"""
import json
import sys

import torch
from torch.nn import functional as F

from torch_timing import milliseconds, time_cases

try:
    import cupy
    from cupyx.scipy.signal import fftconvolve, oaconvolve
except ImportError:
    cupy = None

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


def in_cupy(case):
    """A step of CuPy's, or None; both libraries use CUDA's default stream."""
    if case.startswith("convolve"):
        x, gain = cupy.random.rand(64, 65536, dtype="f4"), cupy.random.rand(64, 1, dtype="f4")
        h = cupy.random.rand(1, int(case.split("_")[1]), dtype="f4")
        way = oaconvolve if h.size < 1000 else fftconvolve
        return lambda: cupy.tanh(way(x * gain, h, "same", axes=1) + cupy.float32(0.5))
    z = {"fft_1024x4096": (1024, 4096), "fft_65536x64": (65536, 64), "fft_1024x4099": (1024, 4099),
         "fft_columns": (4096, 1024), "fft2_16x1024x1024": (16, 1024, 1024)}.get(case)
    if z:
        z = cupy.from_dlpack(torch.view_as_real(numbers(*z))).view("c8")[..., 0]
        if case == "fft_columns":
            return lambda: cupy.fft.fft(z, axis=0)
        return (lambda: cupy.fft.fft2(z)) if z.ndim == 3 else (lambda: cupy.fft.fft(z))
    x = cupy.random.rand(1 << 24, dtype="f4")
    if case == "rfft_2^24":
        return lambda: cupy.fft.rfft(x)
    if case == "irfft_2^24":
        spectrum = cupy.fft.rfft(x)
        return lambda: cupy.fft.irfft(spectrum)
    generator = cupy.random.default_rng(1)
    if case == "gamma_2^24":
        return lambda: generator.standard_gamma(x * 5 + cupy.float32(0.1), dtype="f4")
    if case == "poisson_2^24":
        return lambda: generator.poisson(x * 50)
    return None


if __name__ == "__main__":
    for name in (sys.argv[1:] or CASES) if cupy else ():
        try:
            step = in_cupy(name)
            if step:
                print(json.dumps({"case": name, "who": "CuPy", "ms": milliseconds(step)}), flush=True)
        except Exception as error:  # a function that a version does not have
            print(json.dumps({"case": name, "who": "CuPy", "failed": str(error)[:200]}), flush=True)
    time_cases(CASES)
