// Scans: cumsum cumprod cummax cummin logcumsumexp, running values along an axis.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/core/axes.hpp"
#include "weft/ops/elementwise/contents.hpp"
#include "weft/ops/elementwise/generate.hpp"
#include "weft/ops/order/scanners.hpp"

namespace weft {

/// The scans of device D (cpu/order/scan.hpp, cuda/scan/scan.hpp); ScanningDevice says what they
/// provide.
template <class D>
struct Scanner;

/// A device that scans: scan<S>(x, target, axis, repeats) writes the running values of x along an
/// axis, by the scanner S, into a target that is contiguous and shares no memory with x; `repeats`
/// asks for the same bits every run.
template <class D, class S>
concept ScanningDevice = requires(const Tensor<float, D>& x, int axis) {
  Scanner<D>::template scan<S>(x, x, axis, true);
};

namespace detail {
/// Whether the header with D's scans is included; if not, one compile error that names it.
template <class D>
constexpr bool can_scan() {
  constexpr bool here = requires { sizeof(Scanner<D>); };
  static_assert(here || !is_cuda<D>, "weft: to scan on Cuda include <weft/cuda/algorithms.hpp>");
  static_assert(here || is_cuda<D>, "weft: to scan on Cpu include <weft/weft.hpp>");
  return here;
}

/// A tensor as it is, another expression evaluated on `device`.
template <class D, class E>
decltype(auto) value_on(const E& e, D device) {
  if constexpr (is_tensor<E>) {
    return static_cast<const E&>(e);
  } else {
    return on<typename E::value_type>(e, device);
  }
}
}  // namespace detail

namespace detail {
/// Whether E, the operand of a scan on CUDA, is read inside of it: a tensor, or a formula whose
/// values are not rounded to be stored, so that the bits are the same.
template <class E>
inline constexpr bool is_scanned_inside =
    is_tensor<E> ||
    (is_made_of<E, Contents::tensors | Contents::numbers | Effects::places | Effects::calls> &&
     std::is_same_v<typename E::value_type, compute_t<typename E::value_type>>);

/// Whether E, an expression of tensors and numbers alone, may be computed inside of its scan on D.
template <class D, class S, class E, class T>
inline constexpr bool scans_formula = is_cuda<D> && !is_tensor<E> && is_scanned_inside<E> &&
                                      requires(const E& e, const Tensor<T, D>& target) {
  Scanner<D>::template scan_formula<S>(e, target, 0);
};
}  // namespace detail

/// The expression of E's running values along an axis. It is computed in one pass over memory,
/// before what reads it or, on CUDA, in its kernel (eval/scanned.hpp).
template <class S, class E>
class Scan : public NodeMembers<Scan<S, E>> {
 public:
  using value_type = typename S::template result<typename E::value_type>;
  using opaque_type = compute_t<value_type>;
  using device_type = typename E::device_type;
  using scanner = S;
  static constexpr bool is_expression = true;
  static constexpr bool is_opaque = true;
  static constexpr const char* text = S::text;

  Scan(E operand, int axis, bool repeats)
      : args_{static_cast<E&&>(operand), {}}, axis_(axis), repeats_(repeats) {}

  using NodeMembers<Scan>::shape;
  const Shape& shape() const { return args_.head.shape(); }
  const Pack<E>& args() const { return args_; }
  int axis() const { return axis_; }
  bool repeats() const { return repeats_; }
  bool same_as(const Scan& x) const { return axis_ == x.axis_ && repeats_ == x.repeats_; }

  template <class T, class D>
  void evaluate(const Tensor<T, D>& target) const {
    using Loops = std::conditional_t<is_cuda<D>, Cuda, D>;
    if constexpr (detail::can_scan<Loops>()) {
      if constexpr (detail::scans_formula<Loops, S, E, T>) {
        if (!repeats_ && shape().rank() > 0 && target.size() > 0 &&
            Scanner<Loops>::template scan_formula<S>(args_.head, target, axis_)) {
          return;
        }
      }
      const auto& x = detail::value_on(args_.head, target.device());
      if (shape().rank() == 0) {
        Scanner<Loops>::template scan<S>(x.reshape({1}), target.reshape({1}), axis_, repeats_);
      } else {
        Scanner<Loops>::template scan<S>(x, target, axis_, repeats_);
      }
    }
  }

 private:
  Pack<E> args_;
  int axis_;
  bool repeats_;
};

namespace detail {
template <class S, class E>
inline constexpr unsigned contents_of<Scan<S, E>> = Contents::scans;

template <class S, class E>
  requires(is_integer<typename E::value_type>)
struct WidenedFrom<Scan<S, E>> {
  using type = typename E::value_type;
};

/// Which axis an operation runs along: the one in axis(n), or the only one. Of rank 0, axis(0) and
/// axis(-1) are 0: it is one element.
inline int one_axis(const char* operation, const Axes& axes, const Shape& shape) {
  if (shape.rank() == 0 && axes.rank() == 1 && is_axis_of_number(axes[0])) return 0;
  if (axes.rank() > 1 || (axes.rank() == 0 && shape.rank() != 1)) {
    fail<ShapeError>(operation, "shape ", shape, " and ", axes.rank(),
                     " axes, expected one: write axis(n)");
  }
  return normalize_axis(operation, axes.rank() == 1 ? axes[0] : 0, shape.rank());
}

struct ScanOptions {
  Axes axes;
  bool repeats = false;
  void take(const Axes& a) { axes = a; }
  void take(Deterministic) { repeats = true; }
};

/// Whether the options of a scan are valid; if not, one compile error that says which are.
template <class... Options>
constexpr bool are_scan_options() {
  constexpr bool number = (std::is_arithmetic_v<Options> || ...);
  constexpr bool known =
      ((std::is_same_v<Options, Axes> || std::is_same_v<Options, Deterministic>)&&...);
  static_assert(!number, "weft: a bare number is not an axis: write axis(n)");
  static_assert(number || known, "weft: a scan takes axis(n) and deterministic");
  return known;
}

template <class S, class X, class... Options>
auto scan(X&& x, const Options&... options) {
  using E = std::remove_cvref_t<X>;
  using T = typename E::value_type;
  if constexpr (are_scan_options<Options...>() && S::domain::template report<T>()) {
    ScanOptions given;
    (given.take(options), ...);
    const int along = one_axis(S::text, given.axes, x.shape());
    return Scan<S, operand_t<T, X>>(AsOperand<T, S>{}(static_cast<X&&>(x)), along, given.repeats);
  } else {
    return Tensor<T, typename E::device_type>{};
  }
}
}  // namespace detail

/// All of these take axis(n), which is optional only for a vector; the result is lazy, has x's
/// shape, and can be part of a larger expression. Sums and products of integers are int64 or
/// uint64.
template <ExpressionLike X, class... Options>
auto cumsum(X&& x, Options... options) {
  return detail::scan<scanner::cumsum>(static_cast<X&&>(x), options...);
}
template <ExpressionLike X, class... Options>
auto cumprod(X&& x, Options... options) {
  return detail::scan<scanner::cumprod>(static_cast<X&&>(x), options...);
}
/// NaN from the first one on.
template <ExpressionLike X, class... Options>
auto cummax(X&& x, Options... options) {
  return detail::scan<scanner::cummax>(static_cast<X&&>(x), options...);
}
template <ExpressionLike X, class... Options>
auto cummin(X&& x, Options... options) {
  return detail::scan<scanner::cummin>(static_cast<X&&>(x), options...);
}
/// log(cumsum(exp(x))) without overflow.
template <ExpressionLike X, class... Options>
auto logcumsumexp(X&& x, Options... options) {
  return detail::scan<scanner::logcumsumexp>(static_cast<X&&>(x), options...);
}

WEFT_MODEL(OpaqueNode<Scan<scanner::cumsum, Tensor<float, Cpu>>>);

}  // namespace weft
