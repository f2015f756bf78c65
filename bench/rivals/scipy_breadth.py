#!/usr/bin/env python3
"""NumPy's and SciPy's times for the cases of bench/cpu_breadth.cpp: a line of JSON each, the least of some runs.

    OMP_NUM_THREADS=N python3 scipy_breadth.py N
"""
import json
import sys
import time

import numpy as np
import scipy.fft
import scipy.linalg
import scipy.signal

THREADS = int(sys.argv[1]) if len(sys.argv) > 1 else 1
random = np.random.default_rng(1)


def report(name, who, f):
    f()
    times = []
    while len(times) < 2 or (sum(times) < 0.25 and len(times) < 100):
        begin = time.perf_counter()
        f()
        times.append(time.perf_counter() - begin)
    print(json.dumps({"case": name, "who": who, "ms": round(min(times) * 1e3, 5)}), flush=True)


def normal(*shape):
    return random.standard_normal(shape, np.float32)


def definite(count, n):
    x = normal(count, n, n) / np.float32(n ** 0.5)
    return x @ x.transpose(0, 2, 1) + np.eye(n, dtype=np.float32)


def matrices():
    threes, right = definite(100000, 3), normal(100000, 3, 1)
    report("inv_100k_3x3", "NumPy", lambda: np.linalg.inv(threes))
    report("solve_100k_3x3", "NumPy", lambda: np.linalg.solve(threes, right))
    report("det_100k_3x3", "NumPy", lambda: np.linalg.det(threes))
    report("cholesky_100k_3x3", "NumPy", lambda: np.linalg.cholesky(threes))
    eights = definite(10000, 8)
    report("inv_10k_8x8", "NumPy", lambda: np.linalg.inv(eights))
    report("eigh_10k_8x8", "NumPy", lambda: np.linalg.eigh(eights))
    report("svd_10k_8x8", "NumPy", lambda: np.linalg.svd(eights, full_matrices=False))
    report("qr_10k_8x8", "NumPy", lambda: np.linalg.qr(eights))
    large, vectors = definite(1, 512)[0], normal(512, 16)
    for who, library in (("NumPy", np.linalg), ("SciPy", scipy.linalg)):
        options = {"check_finite": False} if library is scipy.linalg else {}
        report("solve_512", who, lambda: library.solve(large, vectors, **options))
        report("inv_512", who, lambda: library.inv(large, **options))
        report("cholesky_512", who, lambda: library.cholesky(large))
        report("eigh_512", who, lambda: library.eigh(large))
        report("svd_512", who, lambda: library.svd(large, full_matrices=False))
        report("qr_512", who, lambda: library.qr(large))


def transforms():
    def numbers(*shape):
        return normal(*shape) + np.complex64(1j) * normal(*shape)

    for who, fft in (("NumPy", np.fft), ("SciPy", scipy.fft)):
        options = {"workers": THREADS} if fft is scipy.fft else {}
        z = numbers(1024, 1024)
        report("fft_1024x1024", who, lambda: fft.fft(z, **options))
        report("fft_columns_1024x1024", who, lambda: fft.fft(z, axis=0, **options))
        short, prime, images = numbers(16384, 64), numbers(256, 4099), numbers(4, 512, 512)
        report("fft_16384x64", who, lambda: fft.fft(short, **options))
        report("fft_256x4099", who, lambda: fft.fft(prime, **options))
        report("fft2_4x512x512", who, lambda: fft.fft2(images, **options))
        x = normal(1 << 20)
        spectrum = fft.rfft(x)
        report("rfft_2^20", who, lambda: fft.rfft(x, **options))
        report("irfft_2^20", who, lambda: fft.irfft(spectrum, **options))
    signals, gain = normal(16, 16384), random.random((16, 1), np.float32)
    for taps in (33, 1025):
        h = normal(1, taps)
        for way in (scipy.signal.fftconvolve, scipy.signal.oaconvolve):
            report(f"convolve_{taps}", "SciPy", lambda: np.tanh(way(signals * gain, h, "same", axes=1) + np.float32(0.5)))
    sound, window = normal(1 << 18), scipy.signal.windows.hann(1024, False).astype(np.float32)
    steps = scipy.signal.ShortTimeFFT(window, 256, 1, fft_mode="onesided")
    report("stft", "SciPy", lambda: np.log(np.abs(steps.stft(sound)) ** 2 + np.float32(1e-6)))


if __name__ == "__main__":
    matrices()
    transforms()
