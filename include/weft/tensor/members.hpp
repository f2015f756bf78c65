// The member forms of functions, x.sum(axis(0)), and the views that every expression has.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/core/expression.hpp"
#include "weft/tensor/rules.hpp"
#include "weft/tensor/slice.hpp"

namespace weft {

namespace detail::member {
// Inside a class a member hides the function of its name; from here functions are found by their
// operands, those of Vars too.
// clang-format off
inline constexpr auto sum_ = [](const auto&... x) { return sum(x...); };
inline constexpr auto prod_ = [](const auto&... x) { return prod(x...); };
inline constexpr auto mean_ = [](const auto&... x) { return mean(x...); };
inline constexpr auto var_ = [](const auto&... x) { return var(x...); };
inline constexpr auto stddev_ = [](const auto&... x) { return stddev(x...); };
inline constexpr auto min_ = [](const auto&... x) { return min(x...); };
inline constexpr auto max_ = [](const auto&... x) { return max(x...); };
inline constexpr auto argmin_ = [](const auto&... x) { return argmin(x...); };
inline constexpr auto argmax_ = [](const auto&... x) { return argmax(x...); };
inline constexpr auto any_ = [](const auto&... x) { return any(x...); };
inline constexpr auto all_ = [](const auto&... x) { return all(x...); };
inline constexpr auto norm_ = [](const auto&... x) { return norm(x...); };
inline constexpr auto cumsum_ = [](const auto&... x) { return cumsum(x...); };
inline constexpr auto softmax_ = [](const auto&... x) { return softmax(x...); };
inline constexpr auto log_softmax_ = [](const auto&... x) { return log_softmax(x...); };
inline constexpr auto abs_ = [](const auto& x) { return abs(x); };
inline constexpr auto exp_ = [](const auto& x) { return exp(x); };
inline constexpr auto log_ = [](const auto& x) { return log(x); };
inline constexpr auto sqrt_ = [](const auto& x) { return sqrt(x); };
inline constexpr auto square_ = [](const auto& x) { return square(x); };
inline constexpr auto pow_ = [](const auto& x, const auto& y) { return pow(x, y); };
inline constexpr auto sigmoid_ = [](const auto& x) { return sigmoid(x); };
inline constexpr auto tanh_ = [](const auto& x) { return tanh(x); };
inline constexpr auto relu_ = [](const auto& x) { return relu(x); };
inline constexpr auto clamp_ = [](const auto&... x) { return clamp(x...); };
inline constexpr auto matmul_ = [](const auto& x, const auto& y) { return matmul(x, y); };
inline constexpr auto dot_ = [](const auto& x, const auto& y) { return dot(x, y); };
inline constexpr auto at_indices_ = [](const auto& x, const auto& i) { return at_indices(x, i); };
// clang-format on
template <class To>
inline constexpr auto cast_ = [](const auto& x) { return cast<To>(x); };
}  // namespace detail::member

namespace detail {
/// The shape of sizes, or axes, that are given as numbers.
template <class... I>
constexpr Shape shape_of_numbers(I... sizes) {
  static_assert((std::is_integral_v<I> && ...), "weft: sizes and axes are integers");
  return Shape{static_cast<int64_t>(sizes)...};
}
}  // namespace detail

/// What tensors, Vars and expressions have alike: functions as members, x.sum() for sum(x).
template <class E>
class Members {
 public:
  // clang-format off
  template <class... O> auto sum(O... o) const { return detail::member::sum_(self(), o...); }
  template <class... O> auto prod(O... o) const { return detail::member::prod_(self(), o...); }
  template <class... O> auto mean(O... o) const { return detail::member::mean_(self(), o...); }
  template <class... O> auto var(O... o) const { return detail::member::var_(self(), o...); }
  template <class... O> auto stddev(O... o) const { return detail::member::stddev_(self(), o...); }
  template <class... O> auto std(O... o) const { return detail::member::stddev_(self(), o...); }
  template <class... O> auto min(O... o) const { return detail::member::min_(self(), o...); }
  template <class... O> auto max(O... o) const { return detail::member::max_(self(), o...); }
  template <class... O> auto argmin(O... o) const { return detail::member::argmin_(self(), o...); }
  template <class... O> auto argmax(O... o) const { return detail::member::argmax_(self(), o...); }
  template <class... O> auto any(O... o) const { return detail::member::any_(self(), o...); }
  template <class... O> auto all(O... o) const { return detail::member::all_(self(), o...); }
  template <class... O> auto norm(O... o) const { return detail::member::norm_(self(), o...); }
  template <class... O> auto cumsum(O... o) const { return detail::member::cumsum_(self(), o...); }
  template <class... O> auto softmax(O... o) const { return detail::member::softmax_(self(), o...); }
  template <class... O> auto log_softmax(O... o) const { return detail::member::log_softmax_(self(), o...); }
  template <class... Bounds> auto clamp(const Bounds&... b) const { return detail::member::clamp_(self(), b...); }
  template <class Y> auto pow(const Y& y) const { return detail::member::pow_(self(), y); }
  template <class Y> auto matmul(const Y& y) const { return detail::member::matmul_(self(), y); }
  template <class Y> auto dot(const Y& y) const { return detail::member::dot_(self(), y); }
  // clang-format on
  auto abs() const { return detail::member::abs_(self()); }
  auto exp() const { return detail::member::exp_(self()); }
  auto log() const { return detail::member::log_(self()); }
  auto sqrt() const { return detail::member::sqrt_(self()); }
  auto square() const { return detail::member::square_(self()); }
  auto sigmoid() const { return detail::member::sigmoid_(self()); }
  auto tanh() const { return detail::member::tanh_(self()); }
  auto relu() const { return detail::member::relu_(self()); }
  /// The elements as another type: cast<To>(x).
  template <class To>
  auto to() const {
    return detail::member::cast_<To>(self());
  }
  /// Sizes or axes as numbers instead of a shape: x.reshape(4, -1), x.permute(2, 0, 1).
  template <NumberLike First, NumberLike... I>
  auto reshape(First first, I... sizes) const {
    return self().reshape(detail::shape_of_numbers(first, sizes...));
  }
  template <NumberLike First, NumberLike... I>
  auto view(First first, I... sizes) const {
    return self().view(detail::shape_of_numbers(first, sizes...));
  }
  template <NumberLike First, NumberLike... I>
  auto expand(First first, I... sizes) const {
    return self().expand(detail::shape_of_numbers(first, sizes...));
  }
  template <NumberLike First, NumberLike... I>
  auto permute(First first, I... axes) const {
    return self().permute(detail::shape_of_numbers(first, axes...));
  }
  /// The sizes where there are N axes: auto [rows, columns] = x.shape<2>().
  template <int N>
  auto shape() const {
    return self().shape().template sizes<N>();
  }
  /// The number of elements, as size().
  int64_t numel() const { return self().shape().size(); }
  /// The number of axes, as rank().
  int dim() const { return self().shape().rank(); }

 private:
  const E& self() const { return static_cast<const E&>(*this); }
};

/// What nodes of expressions have besides: their value, views of it (which evaluate the expression
/// and share the value's elements), and what they convert to.
template <class E>
class NodeMembers : public Members<E> {
 public:
  int rank() const { return self().shape().rank(); }
  int64_t size() const { return self().shape().size(); }
  int64_t size(int64_t axis) const {
    return self().shape()[normalize_axis("size", axis, self().shape().rank())];
  }

  /// The value, in new storage: a Tensor, or a Var where the expression has one.
  auto eval() const { return typename detail::Evaluated<E>::type(self()); }
  /// The value of an expression with one element.
  auto item() const { return eval().item(); }
  auto clone() const { return eval(); }
  /// The gradients of the value, as y.backward() of a Var y that is the expression.
  template <class... Options>
  void backward(const Options&... options) const {
    if constexpr (detail::needs_var<E>()) eval().backward(options...);
  }
  /// The value, without a gradient.
  auto detach() const {
    if constexpr (detail::has_var<E>) {
      return eval().detach();
    } else {
      return eval();
    }
  }
  auto contiguous() const { return eval(); }
  auto to_vector() const { return eval().to_vector(); }
  using Members<E>::to;
  /// The value on another device.
  template <class To>
  auto to(To device) const {
    return eval().to(device);
  }

  auto operator()(Slice a, Slice b = Slice::absent, Slice c = Slice::absent,
                  Slice d = Slice::absent, Slice e = Slice::absent, Slice f = Slice::absent,
                  Slice g = Slice::absent, Slice h = Slice::absent) const {
    return eval()(a, b, c, d, e, f, g, h);
  }
  template <ExpressionLike I>
  auto operator()(const I& index) const {
    return eval()(index);
  }
  template <class I>
  auto operator[](const I& index) const {
    return eval()[index];
  }
  using Members<E>::expand;
  using Members<E>::permute;
  using Members<E>::reshape;
  auto reshape(const Shape& shape) const { return eval().reshape(shape); }
  using Members<E>::view;
  auto view(const Shape& shape) const { return eval().view(shape); }
  auto expand(const Shape& shape) const { return eval().expand(shape); }
  auto permute(const Shape& axes) const { return eval().permute(axes); }
  auto transpose(int64_t a, int64_t b) const { return eval().transpose(a, b); }
  auto t() const { return eval().t(); }
  auto flatten() const { return eval().flatten(); }
  auto squeeze() const { return eval().squeeze(); }
  auto squeeze(int64_t axis) const { return eval().squeeze(axis); }
  auto unsqueeze(int64_t axis) const { return eval().unsqueeze(axis); }
  auto flip(int64_t axis) const { return eval().flip(axis); }
  auto diagonal(int64_t k = 0, int64_t axis1 = -2, int64_t axis2 = -1) const {
    return eval().diagonal(k, axis1, axis2);
  }
  auto narrow(int64_t axis, int64_t start, int64_t length) const {
    return eval().narrow(axis, start, length);
  }
  /// The views along the first axis of the value.
  auto begin() const { return eval().begin(); }
  auto end() const { return decltype(begin())({}, size(0)); }
  auto split(int64_t length, int64_t axis = 0) const { return eval().split(length, axis); }
  auto chunk(int64_t count, int64_t axis = 0) const { return eval().chunk(count, axis); }

  /// No assignments: say what can be written to.
  template <class X>
  void operator+=(const X&) const {
    detail::is_target<E>();
  }
  template <class X>
  void operator-=(const X&) const {
    detail::is_target<E>();
  }
  template <class X>
  void operator*=(const X&) const {
    detail::is_target<E>();
  }
  template <class X>
  void operator/=(const X&) const {
    detail::is_target<E>();
  }
  template <std::same_as<bool> B>
  explicit operator B() const {
    return detail::is_truth_value<E>();
  }
  /// No conversion: says how an expression whose rank is not known to be 0 becomes a number.
  template <NumberLike N>
    requires(!is_bool<N>)
  operator N() const { return detail::is_number<E, N>(); }

 private:
  const E& self() const { return static_cast<const E&>(*this); }
};

}  // namespace weft
