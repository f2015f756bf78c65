// The member forms of functions, x.sum(axis(0)), and the views that every expression has.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/core/expression.hpp"
#include "weft/tensor/rules.hpp"
#include "weft/tensor/slice.hpp"

namespace weft {

namespace detail::member {
// Inside a class a member hides the function of its name; from here functions are found by their
// operands, Vars included.
// clang-format off
inline constexpr auto free_sum = [](const auto&... x) { return sum(x...); };
inline constexpr auto free_prod = [](const auto&... x) { return prod(x...); };
inline constexpr auto free_mean = [](const auto&... x) { return mean(x...); };
inline constexpr auto free_var = [](const auto&... x) { return var(x...); };
inline constexpr auto free_stddev = [](const auto&... x) { return stddev(x...); };
inline constexpr auto free_min = [](const auto&... x) { return min(x...); };
inline constexpr auto free_max = [](const auto&... x) { return max(x...); };
inline constexpr auto free_argmin = [](const auto&... x) { return argmin(x...); };
inline constexpr auto free_argmax = [](const auto&... x) { return argmax(x...); };
inline constexpr auto free_any = [](const auto&... x) { return any(x...); };
inline constexpr auto free_all = [](const auto&... x) { return all(x...); };
inline constexpr auto free_norm = [](const auto&... x) { return norm(x...); };
inline constexpr auto free_cumsum = [](const auto&... x) { return cumsum(x...); };
inline constexpr auto free_sort = [](const auto&... x) { return sort(x...); };
inline constexpr auto free_argsort = [](const auto&... x) { return argsort(x...); };
inline constexpr auto free_topk = [](const auto&... x) { return topk(x...); };
inline constexpr auto free_softmax = [](const auto&... x) { return softmax(x...); };
inline constexpr auto free_log_softmax = [](const auto&... x) { return log_softmax(x...); };
inline constexpr auto free_abs = [](const auto& x) { return abs(x); };
inline constexpr auto free_exp = [](const auto& x) { return exp(x); };
inline constexpr auto free_log = [](const auto& x) { return log(x); };
inline constexpr auto free_sqrt = [](const auto& x) { return sqrt(x); };
inline constexpr auto free_square = [](const auto& x) { return square(x); };
inline constexpr auto free_pow = [](const auto& x, const auto& y) { return pow(x, y); };
inline constexpr auto free_sigmoid = [](const auto& x) { return sigmoid(x); };
inline constexpr auto free_tanh = [](const auto& x) { return tanh(x); };
inline constexpr auto free_relu = [](const auto& x) { return relu(x); };
inline constexpr auto free_clamp = [](const auto&... x) { return clamp(x...); };
inline constexpr auto free_matmul = [](const auto& x, const auto& y) { return matmul(x, y); };
inline constexpr auto free_dot = [](const auto& x, const auto& y) { return dot(x, y); };
inline constexpr auto free_at_indices = [](const auto& x, const auto& i) { return at_indices(x, i); };
// clang-format on
template <class To>
inline constexpr auto free_cast = [](const auto& x) { return cast<To>(x); };
}  // namespace detail::member

namespace detail {
/// The shape made of sizes, or axes, that are passed as numbers.
template <class... I>
constexpr Shape shape_of_numbers(I... sizes) {
  static_assert((std::is_integral_v<I> && ...), "weft: sizes and axes are integers");
  return Shape{static_cast<int64_t>(sizes)...};
}
}  // namespace detail

namespace detail {
/// A std::vector, or a similar container, of an expression's elements.
template <class V, class E>
concept VectorOf = requires(V& v) {
  v.reserve(1);
  v.shrink_to_fit();
  v.push_back({});
  requires std::is_same_v<typename V::value_type, typename E::value_type>;
};
}  // namespace detail

/// Members common to tensors, Vars and expressions: the member forms of functions, x.sum() for
/// sum(x).
template <class E>
class Members {
 public:
  // clang-format off
  template <class... O> auto sum(O... o) const { return detail::member::free_sum(self(), o...); }
  template <class... O> auto prod(O... o) const { return detail::member::free_prod(self(), o...); }
  template <class... O> auto mean(O... o) const { return detail::member::free_mean(self(), o...); }
  template <class... O> auto var(O... o) const { return detail::member::free_var(self(), o...); }
  template <class... O> auto stddev(O... o) const { return detail::member::free_stddev(self(), o...); }
  template <class... O> auto std(O... o) const { return detail::member::free_stddev(self(), o...); }
  template <class... O> auto min(O... o) const { return detail::member::free_min(self(), o...); }
  template <class... O> auto max(O... o) const { return detail::member::free_max(self(), o...); }
  template <class... O> auto argmin(O... o) const { return detail::member::free_argmin(self(), o...); }
  template <class... O> auto argmax(O... o) const { return detail::member::free_argmax(self(), o...); }
  template <class... O> auto any(O... o) const { return detail::member::free_any(self(), o...); }
  template <class... O> auto all(O... o) const { return detail::member::free_all(self(), o...); }
  template <class... O> auto norm(O... o) const { return detail::member::free_norm(self(), o...); }
  template <class... O> auto cumsum(O... o) const { return detail::member::free_cumsum(self(), o...); }
  template <class... O> auto sort(O... o) const { return detail::member::free_sort(self(), o...); }
  template <class... O> auto argsort(O... o) const { return detail::member::free_argsort(self(), o...); }
  template <class... O> auto topk(O... o) const { return detail::member::free_topk(self(), o...); }
  template <class... O> auto softmax(O... o) const { return detail::member::free_softmax(self(), o...); }
  template <class... O> auto log_softmax(O... o) const { return detail::member::free_log_softmax(self(), o...); }
  template <class... Bounds> auto clamp(const Bounds&... b) const { return detail::member::free_clamp(self(), b...); }
  template <class Y> auto pow(const Y& y) const { return detail::member::free_pow(self(), y); }
  template <class Y> auto matmul(const Y& y) const { return detail::member::free_matmul(self(), y); }
  template <class Y> auto dot(const Y& y) const { return detail::member::free_dot(self(), y); }
  // clang-format on
  auto abs() const { return detail::member::free_abs(self()); }
  auto exp() const { return detail::member::free_exp(self()); }
  auto log() const { return detail::member::free_log(self()); }
  auto sqrt() const { return detail::member::free_sqrt(self()); }
  auto square() const { return detail::member::free_square(self()); }
  auto sigmoid() const { return detail::member::free_sigmoid(self()); }
  auto tanh() const { return detail::member::free_tanh(self()); }
  auto relu() const { return detail::member::free_relu(self()); }
  /// The elements as another type: cast<To>(x).
  template <class To>
  auto to() const {
    return detail::member::free_cast<To>(self());
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
  /// The transposed matrix, as t().
  auto transpose() const { return self().t(); }
  /// Without sizes or axes: the error says what to write.
  template <MistakenOperand X>
    requires(!std::is_base_of_v<detail::Int64s, X>)
  E reshape(const X&)
  const {
    static_assert(detail::always_false<X>, "weft: sizes are integers: write x.reshape(4, -1)");
    return self();
  }
  template <MistakenOperand X>
    requires(!std::is_base_of_v<detail::Int64s, X>)
  E permute(const X&)
  const {
    static_assert(detail::always_false<X>, "weft: axes are integers: write x.permute(2, 0, 1)");
    return self();
  }
  /// Not a conversion: the error says how to get the elements into a std::vector.
  template <class V, class X = E>
    requires(detail::VectorOf<V, X>)
  operator V() const {
    static_assert(detail::always_false<V>,
                  "weft: to make a std::vector write x.to_vector() for a tensor, "
                  "e.eval().to_vector() for an expression");
    return {};
  }
  /// The sizes of a tensor with N axes, for structured bindings: auto [rows, columns] =
  /// x.shape<2>().
  template <int N>
  auto shape() const {
    return self().shape().template sizes<N>();
  }
  /// The size of one axis, as size(axis).
  template <std::integral I>
  int64_t shape(I axis) const {
    return self().size(axis);
  }
  /// The number of elements, as size().
  int64_t numel() const { return self().shape().size(); }
  /// The number of axes, as rank().
  int dim() const { return self().shape().rank(); }

 private:
  const E& self() const { return static_cast<const E&>(*this); }
};

/// Additional members of expression nodes: their value, views of it (which evaluate the expression
/// and share the value's elements), and conversions.
template <class E>
class NodeMembers : public Members<E> {
 public:
  int rank() const { return self().shape().rank(); }
  int64_t size() const { return self().shape().size(); }
  int64_t size(int64_t axis) const {
    return self().shape()[normalize_axis("size", axis, self().shape().rank())];
  }
  /// The element type of the value.
  static constexpr auto dtype() { return dtype_of<typename E::value_type>; }

  /// The value, in new storage: a Tensor, or a Var if the expression contains one.
  auto eval() const { return typename detail::Evaluated<E>::type(self()); }
  /// The value of an expression with one element.
  auto item() const { return eval().item(); }
  auto clone() const { return eval(); }
  /// Evaluates the expression and runs its backward pass, as `Var y = e; y.backward()` does.
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

  /// A view of the value; const, since what is written to it would be lost.
  decltype(auto) operator()(Slice a, Slice b = Slice::absent, Slice c = Slice::absent,
                            Slice d = Slice::absent, Slice e = Slice::absent,
                            Slice f = Slice::absent, Slice g = Slice::absent,
                            Slice h = Slice::absent) const {
    const auto view = eval()(a, b, c, d, e, f, g, h);
    return view;
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
  using Members<E>::transpose;
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

  /// Not assignments: the error says what can be written to.
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
  /// A comparison of one element with a number, such as x(i, j) > v, converts to bool; it throws if
  /// there are several elements. Other expressions give a compile error that says what to write.
  template <std::same_as<bool> B>
  operator B() const {
    if constexpr (detail::compares_number<E>) {
      if (size() != 1) detail::refuse_truth(E::text, self().shape());
      return item();
    } else {
      return detail::is_truth_value<E>();
    }
  }
  /// Not a conversion: the error says how an expression whose rank is not known to be 0 becomes a
  /// number.
  template <NumberLike N>
    requires(!is_bool<N>)
  operator N() const { return detail::is_number<E, N>(); }

 private:
  const E& self() const { return static_cast<const E&>(*this); }
};

}  // namespace weft
