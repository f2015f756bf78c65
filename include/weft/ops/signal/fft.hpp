// fft, rfft, hfft and their inverses along one axis, two or several.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>

#include "weft/ops/elementwise/cast.hpp"
#include "weft/ops/elementwise/unary.hpp"
#include "weft/ops/linalg/matmul.hpp"
#include "weft/ops/signal/fourier.hpp"

namespace weft {

namespace fourier {

/// Transforms of Vars, in autograd/signal/fft.hpp.
template <class V>
struct Recorded;

/// What a transform takes: floating-point and complex numbers.
struct Complex {
  using domain = op::FloatingOrComplex;
  static constexpr const char* text = "fft";
};
struct Real {
  using domain = op::Floating;
  static constexpr const char* text = "rfft";
};

/// The three ways; each gives the result's element type of the operand's, and calls the transform.
struct Forth {
  using operand = Complex;
  template <class X>
  static auto prepare(const X& x) {
    using T = real_t<compute_t<typename X::value_type>>;
    if constexpr (is_complex<typename X::value_type>) {
      return x;
    } else {
      return cast<complex<T>>(cast<T>(x));
    }
  }
  template <class T, class D>
  static auto run(const Problem& p, const Tensor<T, D>& x) {
    return transform(p, x);
  }
};
struct Halved {
  using operand = Real;
  template <class X>
  static auto prepare(const X& x) {
    return cast<compute_t<typename X::value_type>>(x);
  }
  template <class T, class D>
  static auto run(const Problem& p, const Tensor<T, D>& x) {
    return real_transform(p, x);
  }
};
struct Back {
  using operand = Complex;
  template <class X>
  static auto prepare(const X& x) {
    return Forth::prepare(x);
  }
  template <class T, class D>
  static auto run(const Problem& p, const Tensor<T, D>& x) {
    return inverse_real_transform(p, x);
  }
};

template <class Way, ExpressionLike X>
auto apply(const char* operation, const X& e, const Axes& axes, const Shape& n, FftNorm norm,
           bool inverse) {
  using Check = detail::OperandCheck<typename Way::operand, X>;
  if constexpr (Check::report()) {
    static_assert(!is_dual<typename Check::element>,
                  "weft: Fourier transforms have gradients, but no Hessian-vector products");
    const Problem p = plan(operation, e.shape(), axes, n, norm, inverse, std::is_same_v<Way, Back>);
    const auto x = detail::as_tensor(Way::prepare(e));
    using V = std::remove_cvref_t<decltype(x)>;
    if constexpr (detail::is_var<V>) {
      return Recorded<V>::template run<Way>(p, x);
    } else {
      return Way::run(p, detail::Access::unconst(x));
    }
  } else {
    return typename Check::first{};
  }
}
template <class Way, ExpressionLike X>
auto along_one(const char* operation, const X& x, const FftOptions& o, bool inverse) {
  if (o.n < 0) fail<ShapeError>(operation, "length ", o.n, ", expected at least 1");
  return apply<Way>(operation, x, axis(o.axis), o.n == 0 ? Shape{} : Shape{o.n}, o.norm, inverse);
}
/// A length that the caller wrote: 0 is an error here, and does not mean the signal's own.
inline int64_t given_length(const char* operation, int64_t n) {
  if (n < 1) fail<ShapeError>(operation, "length ", n, ", expected at least 1");
  return n;
}
template <class Way, ExpressionLike X>
auto along_two(const char* operation, const X& x, const FftnOptions& o, bool inverse) {
  const Axes axes = o.axes.rank() == 0 ? axis(-2, -1) : o.axes;
  if (axes.rank() != 2) fail<ShapeError>(operation, axes.rank(), " axes, expected 2");
  return apply<Way>(operation, x, axes, o.n, o.norm, inverse);
}
}  // namespace fourier

// Half types are transformed as float. Results are new tensors of complex or real numbers; a real
// signal of n elements has a spectrum of n / 2 + 1, the others being conjugates of these.

/// The discrete Fourier transform along an axis: X[k] = sum over j of x[j] exp(-2 pi i j k / n).
template <ExpressionLike X>
auto fft(const X& x, const FftOptions& options = {}) {
  return fourier::along_one<fourier::Forth>("fft", x, options, false);
}
/// The inverse of fft, complex to complex.
template <ExpressionLike X>
auto ifft(const X& x, const FftOptions& options = {}) {
  return fourier::along_one<fourier::Forth>("ifft", x, options, true);
}
/// The first n / 2 + 1 elements of the transform of n real elements.
template <ExpressionLike X>
auto rfft(const X& x, const FftOptions& options = {}) {
  return fourier::along_one<fourier::Halved>("rfft", x, options, false);
}
/// The inverse of rfft. The signal has n elements, by default 2 (m - 1) for a spectrum of m: pass n
/// if it is odd.
template <ExpressionLike X>
auto irfft(const X& x, const FftOptions& options = {}) {
  return fourier::along_one<fourier::Back>("irfft", x, options, true);
}

/// fft of signals cropped or zero-padded to n elements.
template <ExpressionLike X, std::integral N>
auto fft(const X& x, N n) {
  return fft(x, {.n = fourier::given_length("fft", n)});
}
/// ifft of spectra cropped or zero-padded to n elements.
template <ExpressionLike X, std::integral N>
auto ifft(const X& x, N n) {
  return ifft(x, {.n = fourier::given_length("ifft", n)});
}
/// rfft of signals cropped or zero-padded to n elements.
template <ExpressionLike X, std::integral N>
auto rfft(const X& x, N n) {
  return rfft(x, {.n = fourier::given_length("rfft", n)});
}
/// irfft to signals of n elements.
template <ExpressionLike X, std::integral N>
auto irfft(const X& x, N n) {
  return irfft(x, {.n = fourier::given_length("irfft", n)});
}

/// fft along two axes, the last two by default.
template <ExpressionLike X>
auto fft2(const X& x, const FftnOptions& options = {}) {
  return fourier::along_two<fourier::Forth>("fft2", x, options, false);
}
/// The inverse of fft2.
template <ExpressionLike X>
auto ifft2(const X& x, const FftnOptions& options = {}) {
  return fourier::along_two<fourier::Forth>("ifft2", x, options, true);
}
/// rfft along the second of two axes and fft along the first.
template <ExpressionLike X>
auto rfft2(const X& x, const FftnOptions& options = {}) {
  return fourier::along_two<fourier::Halved>("rfft2", x, options, false);
}
/// The inverse of rfft2; pass the signal's lengths if the last one is odd.
template <ExpressionLike X>
auto irfft2(const X& x, const FftnOptions& options = {}) {
  return fourier::along_two<fourier::Back>("irfft2", x, options, true);
}

/// fft along several axes, all by default.
template <ExpressionLike X>
auto fftn(const X& x, const FftnOptions& o = {}) {
  return fourier::apply<fourier::Forth>("fftn", x, o.axes, o.n, o.norm, false);
}
/// The inverse of fftn.
template <ExpressionLike X>
auto ifftn(const X& x, const FftnOptions& o = {}) {
  return fourier::apply<fourier::Forth>("ifftn", x, o.axes, o.n, o.norm, true);
}
/// rfft along the last of several axes and fft along the others.
template <ExpressionLike X>
auto rfftn(const X& x, const FftnOptions& o = {}) {
  return fourier::apply<fourier::Halved>("rfftn", x, o.axes, o.n, o.norm, false);
}
/// The inverse of rfftn; pass the signal's lengths if the last one is odd.
template <ExpressionLike X>
auto irfftn(const X& x, const FftnOptions& o = {}) {
  return fourier::apply<fourier::Back>("irfftn", x, o.axes, o.n, o.norm, true);
}

namespace fourier {
/// The norm that divides where the opposite direction would.
constexpr FftNorm opposite(FftNorm norm) {
  if (norm == FftNorm::ortho) return norm;
  return norm == FftNorm::backward ? FftNorm::forward : FftNorm::backward;
}
}  // namespace fourier

/// The real spectrum of a Hermitian signal, given its first half.
template <ExpressionLike X>
auto hfft(const X& x, const FftOptions& o = {}) {
  return fourier::along_one<fourier::Back>("hfft", conj(fourier::Forth::prepare(x)),
                                           {o.n, o.axis, fourier::opposite(o.norm)}, true);
}
/// The inverse of hfft: the first n / 2 + 1 elements of the signal whose spectrum is n real
/// numbers.
template <ExpressionLike X>
auto ihfft(const X& x, const FftOptions& o = {}) {
  return conj(fourier::along_one<fourier::Halved>("ihfft", x,
                                                  {o.n, o.axis, fourier::opposite(o.norm)}, false))
      .eval();
}

/// hfft along the last of several axes and fft along the others.
template <ExpressionLike X>
auto hfftn(const X& x, const FftnOptions& o = {}) {
  return fourier::apply<fourier::Back>("hfftn", conj(fourier::Forth::prepare(x)), o.axes, o.n,
                                       fourier::opposite(o.norm), true);
}
/// The inverse of hfftn.
template <ExpressionLike X>
auto ihfftn(const X& x, const FftnOptions& o = {}) {
  return conj(fourier::apply<fourier::Halved>("ihfftn", x, o.axes, o.n, fourier::opposite(o.norm),
                                              false))
      .eval();
}

}  // namespace weft
