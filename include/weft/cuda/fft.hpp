// Fourier transforms on CUDA, by cuFFT: link weft::cufft.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#if __has_include(<cufft.h>)

#include "weft/cuda/elementwise/for_each.hpp"
#include "weft/cuda/signal/cufft.hpp"
#include "weft/cuda/signal/filter.hpp"
#include "weft/ops/elementwise/binary.hpp"
#include "weft/ops/elementwise/cast.hpp"
#include "weft/ops/elementwise/generate.hpp"
#include "weft/ops/elementwise/unary.hpp"
#include "weft/ops/signal/fourier.hpp"

namespace weft {

namespace op {
/// Element k of half the spectrum of n real numbers, times a scale: at the ends a real number.
template <class T>
struct half_spectrum {
  using result_type = complex<T>;
  static constexpr const char* text = "half_spectrum";
  long long n;
  long long length;
  T scale;
  template <class Z>
  WEFT_HD complex<T> value(long long i, Z z) const {
    const long long k = i % length;
    return {z.re * scale, k == 0 || 2 * k == n ? T(0) : z.im * scale};
  }
};
}  // namespace op

template <>
struct Fourier<Cuda> {
  template <class T, class D>
  static void complex_to_complex(const char* operation, const Tensor<complex<T>, D>& x,
                                 const Tensor<complex<T>, D>& y, const Axes& axes, bool inverse,
                                 double scale) {
    Tensor<complex<T>, D> from = x;
    double rest = scale;
    if (!(x.shape() == y.shape()) || !x.is_contiguous()) {
      fill(x, y, scale);
      from = y;
      rest = 1;
    }
    // cuFFT takes up to three last axes, or one axis followed by all others.
    Axes sorted;
    for (int i = 0; i < y.rank(); ++i) {
      for (const int64_t a : axes) {
        if (a == i && y.shape()[i] > 1) sorted.push_back(i);
      }
    }
    if (sorted.rank() == 0) {  // one element is its own transform
      y.assign(from * complex<T>(static_cast<T>(rest)));
      return;
    }
    while (sorted.rank() > 0) {
      Axes group;
      while (sorted.rank() > 0 && group.rank() < 3) {
        group.insert(0, sorted[sorted.rank() - 1]);
        sorted.erase(sorted.rank() - 1);
      }
      const bool last = sorted.rank() == 0;
      along(operation, from, y, group, inverse);
      if (last && rest != 1) y.assign(y * complex<T>(static_cast<T>(rest)));
      from = y;
    }
  }

  template <class T, class D>
  static void real_to_complex(const char* operation, const Tensor<T, D>& x,
                              const Tensor<complex<T>, D>& y, int axis, int64_t n, double scale) {
    if (n == 1 && x.shape()[axis] == 1) {
      y.assign(cast<complex<T>>(x) * complex<T>(static_cast<T>(scale)));
      return;
    }
    Shape full = x.shape();
    full[axis] = n;
    const bool aligned = reinterpret_cast<std::uintptr_t>(x.data()) % (2 * sizeof(T)) == 0;
    Tensor<T, D> from = x;
    double rest = scale;
    if (!(full == x.shape()) || !x.is_contiguous() || !aligned) {
      from = allocate<T>(full, y);
      fill(x, from, scale);
      rest = 1;
    }
    Problem p = line_problem(from, y, axis, n);
    p.type = std::is_same_v<T, double> ? CUFFT_D2Z : CUFFT_R2C;
    if (p.batch > 0) {
      run(operation, from, y, p, false);
    } else {  // lines in the middle of others
      const Tensor<T, D> lines = from.transpose(axis, -1).clone();
      Shape shape = y.shape();
      std::swap(shape[axis], shape[y.rank() - 1]);
      const auto out = allocate<complex<T>>(shape, y);
      real_to_complex(operation, lines, out, y.rank() - 1, n, rest);
      y.assign(out.transpose(axis, -1));
      return;
    }
    if (rest != 1) y.assign(y * complex<T>(static_cast<T>(rest)));
  }

  template <class T, class D>
  static void complex_to_real(const char* operation, const Tensor<complex<T>, D>& x,
                              const Tensor<T, D>& y, int axis, double scale) {
    const int last = y.rank() - 1;
    const int64_t n = y.shape()[axis];
    if (n == 1 && x.shape()[axis] == 1) {
      y.assign(real(x) * static_cast<T>(scale));
      return;
    }
    // A copy anyway, since cuFFT writes to its input.
    const Tensor<complex<T>, D> lines = axis == last ? x : x.transpose(axis, -1);
    Shape shape = lines.shape();
    shape[last] = n / 2 + 1;
    const auto from = allocate<complex<T>>(shape, y);
    Tensor<complex<T>, D> part = from;
    if (!(shape == lines.shape())) {
      from.fill(complex<T>(0));
      part = within(from, lines.shape());
    }
    const op::half_spectrum<T> f{n, lines.shape()[last], static_cast<T>(scale)};
    part.assign(Map<complex<T>, op::half_spectrum<T>, Positions, Tensor<complex<T>, D>>(
        f, Positions(lines.shape()), lines));
    shape[last] = n;
    const Tensor<T, D> out = axis == last ? y : allocate<T>(shape, y);
    Problem p = line_problem(from, out, last, n);
    p.type = std::is_same_v<T, double> ? CUFFT_Z2D : CUFFT_C2R;
    run(operation, from, out, p, true);
    if (axis != last) y.assign(out.transpose(axis, -1));
  }

 private:
  using Problem = on_cuda::detail::CufftProblem;

  template <class U, class Like>
  static auto allocate(const Shape& shape, const Like& like) {
    return detail::Access::allocate<U, typename Like::device_type>(shape, like.device());
  }
  template <class X>
  static X within(X x, const Shape& shape) {
    for (int i = 0; i < shape.rank(); ++i) x = x.narrow(i, 0, shape[i]);
    return x;
  }
  /// y = scale x, and 0 where x has no elements.
  template <class X>
  static void fill(const X& x, const X& y, double scale) {
    using U = typename X::value_type;
    if (!(x.shape() == y.shape())) y.fill(U(0));
    const X part = within(y, x.shape());
    if (x.size() == 0) return;
    if (scale == 1) {
      part.assign(x);
    } else {
      part.assign(x * U(static_cast<real_t<U>>(scale)));
    }
  }

  /// Contiguous lines along an axis; a batch of 0 if cuFFT does not support the layout.
  template <class X, class Y>
  static Problem line_problem(const X& x, const Y& y, int axis, int64_t n) {
    Problem p;
    int64_t before = 1;
    int64_t behind = 1;
    for (int i = 0; i < x.rank(); ++i) (i < axis ? before : behind) *= i == axis ? 1 : x.shape()[i];
    p.n[0] = n;
    p.in_size[0] = x.shape()[axis];
    p.out_size[0] = y.shape()[axis];
    p.in_step = p.out_step = behind;
    p.in_apart = behind == 1 ? x.shape()[axis] : 1;
    p.out_apart = behind == 1 ? y.shape()[axis] : 1;
    p.batch = behind == 1 ? before : before == 1 ? behind : 0;
    return p;
  }

  /// Contiguous arrays of one shape along one to three axes, in order.
  template <class T, class D>
  static void along(const char* operation, const Tensor<complex<T>, D>& x,
                    const Tensor<complex<T>, D>& y, const Axes& axes, bool inverse) {
    const int rank = y.rank();
    const int count = axes.rank();
    bool are_last = true;
    for (int i = 0; i < count; ++i) are_last = are_last && axes[i] == rank - count + i;
    Problem p = line_problem(x, y, static_cast<int>(axes[0]), y.shape()[static_cast<int>(axes[0])]);
    p.type = std::is_same_v<T, double> ? CUFFT_Z2Z : CUFFT_C2C;
    if (are_last) {
      p.rank = count;
      p.in_step = p.out_step = 1;
      p.in_apart = 1;
      for (int i = 0; i < count; ++i) {
        p.n[i] = p.in_size[i] = p.out_size[i] = y.shape()[static_cast<int>(axes[i])];
        p.in_apart *= p.n[i];
      }
      p.out_apart = p.in_apart;
      p.batch = y.size() / p.in_apart;
      return run(operation, x, y, p, inverse);
    }
    if (count == 1 && p.batch > 0) return run(operation, x, y, p, inverse);
    Shape order;
    for (int i = 0; i < rank; ++i) {
      bool moves = false;
      for (const int64_t a : axes) moves = moves || a == i;
      if (!moves) order.push_back(i);
    }
    for (const int64_t a : axes) order.push_back(a);
    const Tensor<complex<T>, D> lines = x.permute(order).clone();
    Axes last;
    for (int i = 0; i < count; ++i) last.push_back(rank - count + i);
    along(operation, lines, lines, last, inverse);
    y.permute(order).assign(lines);
  }

  template <class X, class Y>
  static void run(const char* operation, const X& x, const Y& y, const Problem& p, bool inverse) {
    on_cuda::detail::run_cufft(operation, y.shape(), x.storage(), x.data(), y.storage(), y.data(),
                               p, inverse);
  }
};

}  // namespace weft

#endif
