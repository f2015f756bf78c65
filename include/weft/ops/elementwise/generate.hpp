// Elements computed from their position: arange, linspace, eye, generate.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/core/math/functions.hpp"
#include "weft/ops/elementwise/map.hpp"
#include "weft/tensor/factory.hpp"

namespace weft {

/// The expression whose element is its own row-major position, without memory; or, with strides,
/// the sum of its coordinates times these.
class Positions {
 public:
  using value_type = int64_t;
  using device_type = AnyDevice;
  static constexpr bool is_expression = true;
  static constexpr const char* text = "positions";

  explicit Positions(const Shape& shape, int64_t first = 0)
      : Positions(shape, contiguous_strides(shape), first) {}
  Positions(const Shape& shape, const Strides& strides, int64_t first)
      : shape_(shape), strides_(strides), first_(first) {}
  const Shape& shape() const { return shape_; }
  int rank() const { return shape_.rank(); }
  int64_t size() const { return shape_.size(); }
  const Strides& strides() const { return strides_; }
  int64_t first() const { return first_; }

 private:
  Shape shape_;
  Strides strides_;
  int64_t first_;
};

/// The expression whose element at row-major position i is f.value(i), of element type
/// F::result_type; f is a trivially copyable object with a WEFT_HD member value(long long).
template <class F>
auto generated(const Shape& shape, F f) {
  return Map<typename F::result_type, F, Positions>(f, Positions(shape));
}

namespace op {
/// start + i * step, computed in double for floating types.
template <class T>
struct affine {
  using result_type = T;
  using Wide = std::conditional_t<is_integer<T>, T, double>;
  static constexpr const char* text = "arange";
  Wide start;
  Wide step;
  WEFT_HD compute_t<T> value(long long i) const {
    if constexpr (is_integer<T>) {
      return math::add(start, math::mul(static_cast<T>(i), step));
    } else {
      return static_cast<compute_t<T>>(start + static_cast<double>(i) * step);
    }
  }
};

/// Evenly spaced from start at i = 0 to stop at i = last, both exact.
template <class T>
struct spaced {
  using result_type = T;
  static constexpr const char* text = "linspace";
  double start;
  double stop;
  long long last;
  WEFT_HD compute_t<T> value(long long i) const {
    const double step = last > 0 ? (stop - start) / static_cast<double>(last) : 0;
    return static_cast<compute_t<T>>(2 * i <= last ? start + static_cast<double>(i) * step
                                                   : stop - static_cast<double>(last - i) * step);
  }
};

/// 1 on the diagonal of a matrix of `columns` columns, 0 elsewhere.
template <class T>
struct identity_matrix {
  using result_type = T;
  static constexpr const char* text = "eye";
  long long columns;
  WEFT_HD compute_t<T> value(long long i) const {
    return i / columns == i % columns ? compute_t<T>(1) : compute_t<T>(0);
  }
};
}  // namespace op

namespace detail {
/// What ranges of T count in; not deduced.
template <class T>
using position_t = std::conditional_t<is_integer<T>, T, double>;

/// The value of an expression on `device`; defined in eval/assign.hpp.
template <class T, class E, class D>
Tensor<T, D> on(const E& e, D device);
}  // namespace detail

namespace detail {
/// How many elements arange has; throws for a step of 0 and for too many.
template <class T, class Number>
int64_t arange_size(Number start, Number stop, Number step) {
  if (step == 0 || step != step)
    fail<ValueError>("arange", "step ", step, ", expected a nonzero number");
  if constexpr (is_integer<T>) {
    __extension__ using Wide = __int128;
    const Wide distance = step > 0 ? Wide(stop) - Wide(start) : Wide(start) - Wide(stop);
    const Wide stride = step > 0 ? Wide(step) : -Wide(step);
    const Wide count = distance > 0 ? (distance - 1) / stride + 1 : 0;
    if (count > INT64_MAX)
      fail<ValueError>("arange", "from ", start, " to ", stop, " by ", step,
                       ", expected fewer than 2^63 elements");
    return static_cast<int64_t>(count);
  } else {
    const double count = (stop - start) / step;
    if (!(count < 9e18))
      fail<ValueError>("arange", "from ", start, " to ", stop, " by ", step,
                       ", expected fewer than 2^63 elements");
    const int64_t n = count > 0 ? static_cast<int64_t>(count) : 0;
    return static_cast<double>(n) < count ? n + 1 : n;
  }
}
}  // namespace detail

/// start, start + step, ... before stop; floating types count and compute in double.
template <class T, Device D = Cpu>
  requires(is_integer<T> || is_floating<T>)
Tensor<T, D> arange(detail::position_t<T> start, detail::position_t<T> stop,
                    detail::position_t<T> step = 1, D device = {}) {
  const int64_t n = detail::arange_size<T>(start, stop, step);
  return detail::on<T>(generated({n}, op::affine<T>{start, step}), device);
}
template <class T, Device D = Cpu>
Tensor<T, D> arange(detail::position_t<T> stop, D device = {}) {
  return arange<T>(0, stop, 1, device);
}

namespace op {
/// arange without an explicit element type.
template <class T>
struct counted : affine<T> {};
}  // namespace op

namespace detail {
template <class T>
inline constexpr bool is_counting<Map<T, op::counted<T>, Positions>> = true;
template <class T, class Op, class... Args>
  requires((is_counting<Args> || ...) && !is_bool<typename Map<T, Op, Args...>::value_type>)
inline constexpr bool is_counting<Map<T, Op, Args...>> =
    ((is_counting<Args> || is_scalar<Args>)&&...);
template <class T, class To, class X>  // whose type was given after all
inline constexpr bool is_counting<Map<T, op::cast<To>, X>> = false;

/// arange as an expression.
template <class A, class B, class C>
auto counting(A start, B stop, C step) {
  using T =
      std::conditional_t<std::is_integral_v<A> && std::is_integral_v<B> && std::is_integral_v<C>,
                         int64_t, float>;
  const int64_t n = arange_size<T>(static_cast<typename op::affine<T>::Wide>(start),
                                   static_cast<typename op::affine<T>::Wide>(stop),
                                   static_cast<typename op::affine<T>::Wide>(step));
  return generated({n}, op::counted<T>{{static_cast<typename op::affine<T>::Wide>(start),
                                        static_cast<typename op::affine<T>::Wide>(step)}});
}
}  // namespace detail

/// start, start + step, ... before stop, without memory and on any device: int64 for integers,
/// otherwise float, or the type of the other operands: `x / arange(1, 7)`. With a device a tensor.
template <class T = void, NumberLike A>
  requires std::is_void_v<T>
auto arange(A stop) { return detail::counting(A(0), stop, A(1)); }
template <class T = void, NumberLike A, NumberLike B, NumberLike C = int>
  requires std::is_void_v<T>
auto arange(A start, B stop, C step = C(1)) { return detail::counting(start, stop, step); }
template <class T = void, NumberLike A, Device D>
  requires std::is_void_v<T>
auto arange(A stop, D device) {
  const auto e = arange(stop);
  return detail::on<typename decltype(e)::value_type>(e, device);
}
template <class T = void, NumberLike A, NumberLike B, Device D>
  requires std::is_void_v<T>
auto arange(A start, B stop, D device) { return arange(start, stop, 1, device); }
template <class T = void, NumberLike A, NumberLike B, NumberLike C, Device D>
  requires std::is_void_v<T>
auto arange(A start, B stop, C step, D device) {
  const auto e = arange(start, stop, step);
  return detail::on<typename decltype(e)::value_type>(e, device);
}

/// n evenly spaced values from start to stop, both included.
template <class T = float, Device D = Cpu>
  requires(is_floating<T>)
Tensor<T, D> linspace(double start, double stop, int64_t n, D device = {}) {
  return detail::on<T>(generated({n}, op::spaced<T>{start, stop, n - 1}), device);
}

/// The identity matrix of n rows, and as many columns unless given.
template <class T = float, Device D = Cpu>
Tensor<T, D> eye(int64_t n, D device = {}) {
  return detail::on<T>(generated({n, n}, op::identity_matrix<T>{n}), device);
}
template <class T = float, Device D = Cpu>
Tensor<T, D> eye(int64_t rows, int64_t columns, D device = {}) {
  return detail::on<T>(generated({rows, columns}, op::identity_matrix<T>{columns}), device);
}

}  // namespace weft
