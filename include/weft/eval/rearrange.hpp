// Lowering of rearranged operands: offsets and positions as operands, places in the program.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/eval/gather.hpp"
#include "weft/eval/program/leaves.hpp"
#include "weft/ops/index/rearrange.hpp"

namespace weft::detail {

/// The bits that hold `size` itself, one more value than there are coordinates, so that two axes
/// never merge into one: the first and last of a thread's elements would then tell less.
inline int bits_of(int64_t size) {
  int bits = 0;
  while (bits < 62 && (int64_t{1} << bits) <= size) ++bits;
  return bits;
}

/// Whether kernels can compute a rearrangement: few axes, each in 32 bits, all positions in 62.
[[gnu::noinline]] inline bool fits_in_kernel(const Places& places) {
  if (places.count > 4) return false;
  int bits = 0;
  for (int a = 0; a < places.count; ++a) {
    const AxisPlaces& axis = places.axes[a];
    const int64_t before = axis.before < 0 ? -axis.before : axis.before;
    if (axis.to + before > INT32_MAX / 2 || axis.from > INT32_MAX / 2) return false;
    bits += bits_of(axis.to);
  }
  return bits <= 60;
}

/// Whether positions and the operand's offsets have 31 bits.
[[gnu::noinline]] inline bool is_narrow(const Places& places, const Layout& x) {
  int bits = 0;
  for (int a = 0; a < places.count; ++a) bits += bits_of(places.axes[a].to);
  int64_t reach = 0;
  for (int d = 0; d < x.rank(); ++d) {
    reach += (x.shape[d] - 1) * (x.strides[d] < 0 ? -x.strides[d] : x.strides[d]);
  }
  return bits <= 31 && reach <= INT32_MAX;
}

/// Whether all borders are filled with a constant.
inline bool has_constants(const Places& places) {
  bool all = true;
  for (int a = 0; a < places.count; ++a) all = all && places.axes[a].mode == PadMode::constant;
  return all;
}

/// Sets the operands of offsets (along the axes that stay) and of positions (along the others), and
/// describes the latter to the program.
template <class Axis>
WEFT_OUTLINED void set_places(const Places& places, const Layout& x, Operand* operands, Axis* axes,
                              bool divides) {
  Strides offsets;
  Strides positions;
  for (int i = 0; i < x.rank(); ++i) {
    offsets.push_back(x.shape[i] == 1 ? 0 : x.strides[i]);
    positions.push_back(0);
  }
  int shift = 0;
  for (int a = 0; a < places.count; ++a) {
    const AxisPlaces& from = places.axes[a];
    const int bits = bits_of(from.to);
    offsets[from.axis] = 0;
    positions[from.axis] = int64_t{1} << shift;
    axes[a] = {shift,
               static_cast<int>((int64_t{1} << bits) - 1),
               divides ? 0 : static_cast<int>(from.before),
               static_cast<int>(from.from),
               from.mode,
               divides ? static_cast<int>(from.before) : 1,
               x.strides[from.axis]};
    shift += bits;
  }
  const auto* const origin = reinterpret_cast<const void*>(IndexOperand::origin);
  operands[0].set(origin, 1, places.shape, offsets, nullptr);
  operands[1].set(origin, 1, places.shape, positions, nullptr);
}

/// Whether an expression can be computed at other coordinates by reading its tensors at them.
template <class E>
inline constexpr bool moves_by_leaves =
    is_made_of<E, Contents::tensors | Contents::numbers | Effects::any>;

/// Whether an operation is: with four tensors at most.
template <class E>
inline constexpr bool is_moved_by_leaves = is_map<E>&& moves_by_leaves<E>&& leaf_count<E> <= 4;

/// A rearrangement inside a statement's program.
template <class K, class E>
struct RearrangedLowering {
  using element =
      std::conditional_t<is_tensor<E>, typename E::value_type, compute_t<typename E::value_type>>;
  using D = typename E::device_type;
  using types = TypeList<IndexOperand, IndexOperand>;
  using Op = op::rearranged<element, K>;

  template <int B, class...>
  static auto lower(const Rearranged<K, E>& e, Operand* operands) {
    Tensor<element, D> x = value(e.operand());
    Places places = e.places();
    const bool fits = fits_in_kernel(places);
    if (!fits) {
      x = in_pieces(places, x, e.fill());
      places = Places(places.shape);
    }
    Op op{x.data(),
          static_cast<compute_t<element>>(e.fill()),
          places.count,
          is_narrow(places, x.layout()),
          has_constants(places),
          {}};
    set_places(
        places, x.layout(), operands + B, op.axes, requires { K::divides; });
    Operand all;
    all.set(x.data(), sizeof(element), x.shape(), x.strides(), x.storage());
    set_gathered(operands[B], all);
    if (!is_tensor<E> || !fits) operands[B].keep = Access::storage(x);
    using Offsets = Arg<B, IndexOperand>;
    using Positions = Arg<B + 1, IndexOperand>;
    return Apply<Op, Offsets, Positions>{op, make_pack(Offsets{}, Positions{})};
  }

 private:
  static Tensor<element, D> value(const E& x) {
    if constexpr (is_tensor<E>) {
      check_current(x);
      return x;
    } else {
      return materialize_on<element, D>(x, {});
    }
  }
  static Tensor<element, D> in_pieces(const Places& places, const Tensor<element, D>& x,
                                      compute_t<typename E::value_type> fill) {
    const auto out = Access::allocate<element, D>(places.shape, x.device());
    write_pieces<K>(places, x, out, static_cast<compute_t<element>>(fill));
    return out;
  }
};

/// On CUDA only. On the CPU a rearrangement is an opaque node: copying long runs is faster than
/// locating single elements.
template <class K, class E>
  requires(is_cuda<typename E::device_type> && !is_moved_by_leaves<E>)
struct Lowering<Rearranged<K, E>> : RearrangedLowering<K, E> {};

}  // namespace weft::detail
