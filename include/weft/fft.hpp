// Fourier transforms and signals, with gradients. In .cu files for CUDA too, linked to weft::cufft.
// SPDX-License-Identifier: Apache-2.0
#pragma once

// clang-format off
#include "weft/autograd.hpp"
#include "weft/ops/signal/fft.hpp"          // fft, ifft, rfft, irfft, fft2, fftn, ...
#include "weft/ops/signal/shift.hpp"        // fftfreq, rfftfreq, fftshift, ifftshift
#include "weft/ops/signal/window.hpp"       // hann_window, hamming_window, ...
#include "weft/ops/signal/convolve.hpp"     // convolve, correlate, convolve2d, correlate2d
#include "weft/ops/signal/stft.hpp"         // stft, istft
#include "weft/ops/signal/resample.hpp"     // resample
#include "weft/cpu/signal/fft.hpp"          // on the CPU
#include "weft/autograd/signal/fft.hpp"            // gradients
// clang-format on

#if defined(__CUDACC__)
#include "weft/cuda/fft.hpp"
#endif
