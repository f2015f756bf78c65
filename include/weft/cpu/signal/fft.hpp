// Fourier<Cpu>: Fourier transforms on the CPU, by weft's own loops or, with weft::fftw, by FFTW.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/cpu/signal/fftw.hpp"
#include "weft/cpu/signal/long_line.hpp"
#include "weft/ops/signal/fourier.hpp"

namespace weft {

namespace cpu::fourier {

/// The lines of a tensor along an axis; steps count numbers of type T, `each` to an element.
struct LineLayout {
  Shape batch;
  Strides strides;
  int64_t step = 0;
  int64_t length = 0;

  template <class X>
  LineLayout(const X& x, int axis, int each) {
    for (int i = 0; i < x.rank(); ++i) {
      const int64_t stride = x.strides()[i] * each;
      if (i == axis) {
        step = stride;
        length = x.shape()[i];
      } else {
        batch.push_back(x.shape()[i]);
        strides.push_back(stride);
      }
    }
  }
};

/// Runs a pass whose addresses, steps and batch are known: long lines one after the other where
/// they are few, others several at a time.
template <class T>
[[gnu::noinline]] void run(const Pass<T>& pass) {
  if (run_fftw(pass)) return;
  const int64_t count = pass.batch.size();
  const int64_t n = pass.complex_length();
  constexpr int64_t fits_cache = (int64_t{1} << 18) / static_cast<int64_t>(sizeof(T) * lanes<T>);
  const bool long_lines = n > fits_cache || (count < lanes<T> / 2 && n >= 1024);
  if (!long_lines || (is_smooth(n) && middle_divisor(n) > fits_cache)) return run_lines(pass);
  const auto one = [&](int64_t first, int64_t last) {
    for (int64_t i = first; i < last; ++i) {
      run_line(pass, pass.in + pass.offset(pass.in_strides, i),
               pass.out + pass.offset(pass.out_strides, i));
    }
  };
  if (count >= num_threads()) {
    parallel(count, count * n, one);
  } else {
    one(0, count);
  }
}

}  // namespace cpu::fourier

template <>
struct Fourier<Cpu> {
  template <class T>
  static void complex_to_complex(const char*, const Tensor<complex<T>, Cpu>& x,
                                 const Tensor<complex<T>, Cpu>& y, const Axes& axes, bool inverse,
                                 double scale) {
    // After an axis was transformed, lines along the next have all their elements.
    Tensor<complex<T>, Cpu> from = x;
    for (int i = axes.rank() - 1; i >= 0; --i) {
      Tensor<complex<T>, Cpu> to = y;
      for (int k = 0; k < i; ++k) {
        const int axis = static_cast<int>(axes[k]);
        to = to.narrow(axis, 0, x.shape()[axis]);
      }
      run<T>(cpu::fourier::Kind::complex_to_complex, from, to, static_cast<int>(axes[i]),
             y.shape()[static_cast<int>(axes[i])], inverse, i == 0 ? scale : 1);
      if (i == 0) continue;
      const int next = static_cast<int>(axes[i - 1]);
      from = to.narrow(next, 0, x.shape()[next]);
    }
    y.storage()->bump_version();
  }
  template <class T>
  static void real_to_complex(const char*, const Tensor<T, Cpu>& x,
                              const Tensor<complex<T>, Cpu>& y, int axis, int64_t n, double scale) {
    run<T>(cpu::fourier::Kind::real_to_complex, x, y, axis, n, false, scale);
    y.storage()->bump_version();
  }
  template <class T>
  static void complex_to_real(const char*, const Tensor<complex<T>, Cpu>& x,
                              const Tensor<T, Cpu>& y, int axis, double scale) {
    run<T>(cpu::fourier::Kind::complex_to_real, x, y, axis, y.shape()[axis], false, scale);
    y.storage()->bump_version();
  }

 private:
  template <class T, class X, class Y>
  static void run(cpu::fourier::Kind kind, const X& x, const Y& y, int axis, int64_t n,
                  bool inverse, double scale) {
    constexpr int in_each = is_complex<typename X::value_type> ? 2 : 1;
    constexpr int out_each = is_complex<typename Y::value_type> ? 2 : 1;
    const cpu::fourier::LineLayout in(x, axis, in_each);
    const cpu::fourier::LineLayout out(y, axis, out_each);
    cpu::fourier::Pass<T> pass;
    pass.kind = kind;
    pass.inverse = inverse;
    pass.n = n;
    pass.available = in.length;
    pass.scale = static_cast<T>(scale);
    pass.in = reinterpret_cast<const T*>(x.data());
    pass.in_step = in.step;
    pass.out = reinterpret_cast<T*>(y.data());
    pass.out_step = out.step;
    pass.batch = out.batch;
    pass.in_strides = in.strides;
    pass.out_strides = out.strides;
    if (pass.batch.size() > 0) cpu::fourier::run(pass);
  }
};

}  // namespace weft
