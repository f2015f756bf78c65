// Rearranged: an operand read at other coordinates, inside expressions: pad, roll, tile, shift.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/core/axes.hpp"
#include "weft/core/checked_cast.hpp"
#include "weft/ops/elementwise/map.hpp"
#include "weft/ops/index/indexing.hpp"
#include "weft/ops/index/pieces.hpp"

namespace weft {

namespace op {
/// The element of type T that stands at a position: the coordinates along the axes that Places
/// names, side by side as groups of bits.
template <class T, class K>
struct rearranged {
  static constexpr const char* text = K::text;
  static constexpr bool has_effects = true;  // reads memory that only a target's elements lead to
  static constexpr bool finds_places = true;
  using places = K;
  /// One of the axes, in numbers of 32 bits as far as kernels compute with them.
  struct Axis {
    int shift;
    int mask;
    int before;
    int size;
    PadMode mode;
    int divisor;
    long long stride;
  };
  /// An axis's mode, known to the compiler where all borders are of a constant.
  template <bool Constants>
  WEFT_HD static PadMode mode_of(const Axis& axis) {
    return Constants ? PadMode::constant : axis.mode;
  }
  const T* data;
  compute_t<T> fill;
  int count;
  bool narrow;     // positions and offsets have 31 bits
  bool constants;  // borders are of a constant
  Axis axes[detail::most_axes<K>];

  /// Adds to `offset` what leads to the element at a position; false if there is none. Each axis
  /// leads from an element to the next one, the one before, the same or one further back, so that
  /// neighbours of a row whose ends are as far apart in the operand are neighbours there.
  WEFT_HD bool find(long long& offset, long long position) const {
    bool inside = true;
    for (int a = 0; a < count; ++a) {
      const Axis& axis = axes[a];
      int u = (static_cast<int>(position >> axis.shift) & axis.mask) - axis.before;
      if (!K::find(u, axis.size, axis.divisor, axis.mode)) inside = false;
      offset += u * axis.stride;
    }
    return inside;
  }
  WEFT_HD compute_t<T> value(long long offset, long long position) const {
    return find(offset, position) ? load_element(data[offset]) : fill;
  }
};
}  // namespace op

/// E, a tensor or evaluated first, read at the places that K finds, and `fill` where it finds none.
/// On CUDA a part of the statement's kernel; on the CPU written in stretches, before the statement.
template <class K, class E>
class Rearranged : public NodeMembers<Rearranged<K, E>> {
 public:
  using value_type = typename E::value_type;
  using device_type = typename E::device_type;
  static constexpr bool is_expression = true;
  static constexpr bool is_opaque = !is_cuda<device_type>;
  static constexpr const char* text = K::text;

  Rearranged(E x, const Places& places, compute_t<value_type> fill)
      : args_{static_cast<E&&>(x), {}}, places_(places), fill_(fill) {}

  using NodeMembers<Rearranged>::shape;
  const Shape& shape() const { return places_.shape; }
  const E& operand() const { return args_.head; }
  const Pack<E>& args() const { return args_; }
  const Places& places() const { return places_; }
  compute_t<value_type> fill() const { return fill_; }
  bool same_as(const Rearranged& other) const {
    return places_ == other.places_ && __builtin_memcmp(&fill_, &other.fill_, sizeof fill_) == 0;
  }

  template <class T, class D>
  void evaluate(const Tensor<T, D>& target) const {
    detail::write_pieces<K>(places_, Tensor<T, D>(operand()), target, fill_);
  }

 private:
  Pack<E> args_;
  Places places_;
  compute_t<value_type> fill_;
};

namespace detail {
/// A number as a fill value of type T; throws if T cannot hold it.
template <class T, class N>
compute_t<T> fill_number(const char* operation, N number) {
  if constexpr (is_floating<N> && (is_integer<T> || is_bool<T>)) {
    const auto whole = static_cast<int64_t>(number);
    if (static_cast<N>(whole) != number) {
      fail<ValueError>(operation, "the number ", static_cast<double>(number),
                       " among integers, expected a whole number");
    }
    return load_element(checked_cast<T>(operation, whole));
  } else {
    return load_element(checked_cast<T>(operation, number));
  }
}

/// The node K of x.
template <class K, class X>
auto rearranged(X&& x, const Places& places, compute_t<element_of_t<X>> fill = {}) {
  using E = operand_t<element_of_t<X>, X>;
  constexpr bool placed = !std::is_same_v<typename E::device_type, AnyDevice>;
  static_assert(placed,
                "weft: a rearranged expression needs a device: write it into a Tensor first");
  if constexpr (placed) {
    return Rearranged<K, E>(AsOperand<element_of_t<X>, K>{}(static_cast<X&&>(x)), places, fill);
  } else {
    return x.eval();
  }
}
}  // namespace detail

}  // namespace weft
