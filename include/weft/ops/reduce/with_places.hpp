// WithPlaces: min and max along axes, which structured bindings unpack into values and positions.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/core/axes.hpp"
#include "weft/ops/elementwise/single.hpp"
#include "weft/ops/reduce/reducers.hpp"

namespace weft {

template <class R, class E>
class Reduce;  // in ops/reduce/reduce.hpp

/// The smallest or largest elements along axes, N, which can be unpacked into values and their
/// positions along the axes: `auto [values, indices] = max(x, axis(1))` evaluates both.
template <class N>
class WithPlaces : public N {
 public:
  using node_type = N;
  using Values = typename detail::Evaluated<N>::type;
  using Places = Tensor<int64_t, typename detail::Evaluated<N>::device>;

  explicit WithPlaces(N node) : N(static_cast<N&&>(node)) {}
  const N& node() const& { return *this; }
  N&& node() && { return static_cast<N&&>(*this); }

  /// The values, or their positions; what holds them is this object, since nvcc 13 breaks on
  /// structured bindings of values.
  template <std::size_t I>
  auto&& get() const {
    if constexpr (I == 0) {
      values_ = N::eval();
      return static_cast<Values&&>(values_);
    } else {
      using Position = reducer::position_of<std::remove_cvref_t<decltype(N::reducer())>>;
      const auto& x = detail::detached(N::operand());
      places_ = Reduce<Position, std::remove_cvref_t<decltype(x)>>(Position{}, x, N::axes());
      return static_cast<Places&&>(places_);
    }
  }

 private:
  mutable Values values_;
  mutable Places places_;
};

}  // namespace weft

template <class N>
struct std::tuple_size<weft::WithPlaces<N>> {
  static constexpr std::size_t value = 2;
};
template <std::size_t I, class N>
struct std::tuple_element<I, weft::WithPlaces<N>> {
  using type = std::conditional_t<I == 0, typename weft::WithPlaces<N>::Values,
                                  typename weft::WithPlaces<N>::Places>;
};
