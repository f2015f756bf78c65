// random::drawn: tensors of a distribution's numbers, its parameters being numbers or tensors.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/core/random/counts.hpp"
#include "weft/core/random/float_gamma.hpp"
#include "weft/ops/elementwise/generate.hpp"

namespace weft {

namespace op {
/// Draws of V, a struct of weft::variate, as elements of type T.
template <class V, class T, int Count>
struct variates {
  using result_type = T;
  static constexpr const char* text = V::text;
  Draw draw;
  double numbers[Count];  // the parameters, where they are not operands

  WEFT_HD compute_t<T> value(long long i) const {
    return by_numbers(i, std::make_index_sequence<Count>{});
  }
  template <class... Ps>
    requires(sizeof...(Ps) == Count)
  WEFT_HD compute_t<T> value(long long i, Ps... parameters)
  const { return one(i, static_cast<double>(parameters)...); }

 private:
  template <std::size_t... I>
  WEFT_HD compute_t<T> by_numbers(long long i, std::index_sequence<I...>) const {
    return one(i, numbers[I]...);
  }
  template <class... Ps>
  WEFT_HD compute_t<T> one(long long i, Ps... parameters) const {
    const bool fine = V::accepts(parameters...);
    if constexpr (std::is_same_v<V, variate::gamma> && std::is_same_v<compute_t<T>, float>) {
      return fine ? gamma(i, parameters...) : math::nan<float>;
    } else if constexpr (is_integer<T>) {
      return fine ? math::convert<T>(V::draw(ElementBits(draw, i), parameters...)) : T(-1);
    } else {
      return static_cast<compute_t<T>>(fine ? V::draw(ElementBits(draw, i), parameters...)
                                            : variate::not_a_number);
    }
  }
  /// In float where the shape parameter permits and no step leaves float's range.
  WEFT_HD float gamma(long long i, double shape, double scale) const {
    if (shape < 128 && shape >= 0x1p-100 && scale <= 0x1p127 && (shape >= 0.25 || scale <= 1)) {
      return variate::draw_float_gamma(ElementBits(draw, i), static_cast<float>(shape),
                                       static_cast<float>(scale));
    }
    return static_cast<float>(V::draw(ElementBits(draw, i), shape, scale));
  }
};
}  // namespace op

namespace random::detail {

template <class V, class T>
constexpr bool can_hold() {
  static_assert(is_floating<T> || (is_integer<T> && sizeof(T) >= 4),
                "weft: random numbers of a distribution are floating-point numbers, and counts "
                "integers of 32 or 64 bits too");
  return true;
}

/// Elements of type T on a device, all of the same distribution.
template <class V, class T, class D, class... Ps>
Tensor<T, D> drawn(const Shape& shape, D device, Generator& generator, Ps... parameters) {
  static_assert(can_hold<V, T>());
  weft::detail::Access::check_sizes(V::text, shape);
  if (!V::accepts(static_cast<double>(parameters)...)) {
    const double given[] = {static_cast<double>(parameters)...};
    Text list = weft::detail::text(given[0]);
    for (std::size_t i = 1; i < sizeof...(Ps); ++i) {
      list += ", ";
      list += weft::detail::text(given[i]);
    }
    fail<ValueError>(V::text, "parameters (", list, "), expected ", V::domain);
  }
  constexpr int count = static_cast<int>(sizeof...(Ps));
  return weft::detail::on<T>(
      generated(shape,
                op::variates<V, T, count>{generator.draw(), {static_cast<double>(parameters)...}}),
      device);
}

/// The element type of the first parameter that is not a number.
template <class... Ps>
using parameter_t =
    typename weft::detail::FirstExpression<std::remove_cvref_t<Ps>...>::type::value_type;

/// One for each element of the parameters, which broadcast: on their device.
template <class V, class T, class... Ps>
auto drawn_for(Generator& generator, const Ps&... parameters) {
  static_assert(can_hold<V, T>());
  using Element = parameter_t<Ps...>;
  static_assert(is_floating<Element>,
                "weft: a distribution's parameters are floating-point numbers: write "
                "cast<float>(x)");
  Shape shape;
  const auto widen = [&](const auto& p) {
    if constexpr (ExpressionLike<decltype(p)>) shape = broadcast(V::text, shape, p.shape());
  };
  (widen(parameters), ...);
  using F = op::variates<V, T, static_cast<int>(sizeof...(Ps))>;
  using E = Map<T, F, Positions, weft::detail::operand_t<Element, Ps>...>;
  return E(F{generator.draw(), {}}, Positions(shape),
           weft::detail::AsOperand<Element, F>{}(parameters)...)
      .eval();
}
}  // namespace random::detail
}  // namespace weft
