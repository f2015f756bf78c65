// Joined: expressions one after the other along an axis, as a node.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "weft/ops/fuse.hpp"
#include "weft/ops/index/indexing.hpp"
#include "weft/tensor/factory.hpp"

namespace weft {

/// How device D joins tensors whose pieces along an axis are short, all in one pass. Not every
/// device has one of its own; CUDA's is in cuda/elementwise/join.hpp.
template <class D>
struct Joiner;

namespace detail {
template <class D>
using JoinerOf = Joiner<std::conditional_t<is_cuda<D>, Cuda, D>>;
template <class D>
inline constexpr bool joins_at_once = requires {
  sizeof(JoinerOf<D>);
};

/// The shape of the concatenation along an axis of tensors with the given shapes.
WEFT_OUTLINED inline Shape joined_shape(const char* operation, const std::vector<Shape>& shapes,
                                        int axis) {
  Shape out = shapes[0];
  for (std::size_t k = 1; k < shapes.size(); ++k) {
    bool fits = shapes[k].rank() == out.rank();
    for (int i = 0; fits && i < out.rank(); ++i) fits = i == axis || shapes[k][i] == out[i];
    if (!fits) {
      fail<ShapeError>(operation, "shapes ", shapes[0], " and ", shapes[k],
                       ", expected equal sizes except along axis ", axis);
    }
    out[axis] += shapes[k][axis];
  }
  return out;
}

/// The shape with a new axis of size 1.
inline Shape with_axis(const Shape& shape, int axis) {
  Shape out;
  for (int i = 0; i <= shape.rank(); ++i) {
    if (i == axis) out.push_back(1);
    if (i < shape.rank()) out.push_back(shape[i]);
  }
  return out;
}
}  // namespace detail

/// How operands are joined: along an existing axis, or along a new one.
namespace joining {
struct cat {
  static constexpr const char* text = "cat";
  static constexpr bool stacks = false;
};
struct stack {
  static constexpr const char* text = "stack";
  static constexpr bool stacks = true;
};
}  // namespace joining

/// Expressions one after the other along an axis, an existing one or (stack) a new one, as a node:
/// each is computed where it belongs in the target, all in one kernel if they have one shape.
/// Tensors whose pieces along the axis are short are joined in one pass.
template <class K, class... Es>
class Joined : public NodeMembers<Joined<K, Es...>> {
 public:
  using value_type = typename decltype(Pack<Es...>::head)::value_type;
  using device_type = detail::common_device_of<Es...>;
  static constexpr bool is_expression = true;
  static constexpr bool is_opaque = true;
  static constexpr const char* text = K::text;

  Joined(const Axes& axis, Pack<Es...> parts) : args_(static_cast<Pack<Es...>&&>(parts)) {
    std::vector<Shape> shapes;
    collect(args_, shapes);
    axis_ = detail::one_axis(text, axis, shapes[0].rank() + (K::stacks ? 1 : 0));
    for (Shape& shape : shapes) {
      alike_ = alike_ && shape == shapes[0];
      if (K::stacks && !alike_) {
        fail<ShapeError>(text, "shapes ", shapes[0], " and ", shape, ", expected equal shapes");
      }
    }
    if (K::stacks) {
      for (Shape& shape : shapes) shape = detail::with_axis(shape, axis_);
    }
    shape_ = detail::joined_shape(text, shapes, axis_);
  }

  using NodeMembers<Joined>::shape;
  const Shape& shape() const { return shape_; }
  const Pack<Es...>& args() const { return args_; }
  int axis() const { return axis_; }

  template <class T, class D>
  void evaluate(const Tensor<T, D>& target) const {
    if constexpr (detail::joins_at_once<D>) {
      if (target.is_contiguous() && join_at_once(target)) return;
    }
    evaluate(target, std::index_sequence_for<Es...>{});
  }

 private:
  static void collect(const Pack<>&, std::vector<Shape>&) {}
  template <class X, class... Xs>
  static void collect(const Pack<X, Xs...>& parts, std::vector<Shape>& shapes) {
    shapes.push_back(parts.head.shape());
    collect(parts.tail, shapes);
  }

  template <class Joiner>
  static void name_all(Joiner&, const Pack<>&) {}
  template <class Joiner, class X, class... Xs>
  static void name_all(Joiner& joiner, const Pack<X, Xs...>& parts) {
    joiner.name(parts.head.shape());
    name_all(joiner, parts.tail);
  }
  template <class Joiner>
  static void add_all(Joiner&, const Pack<>&) {}
  template <class Joiner, class X, class... Xs>
  static void add_all(Joiner& joiner, const Pack<X, Xs...>& parts) {
    joiner.add(parts.head.eval());
    add_all(joiner, parts.tail);
  }

  /// Joins tensors with short pieces. Computed parts are stored first, if storing such pieces
  /// directly would take longer.
  template <class T, class D>
  bool join_at_once(const Tensor<T, D>& target) const {
    constexpr int64_t sector = 32;
    constexpr int64_t many_bytes = 1 << 20;
    detail::JoinerOf<D> joiner(axis_, sizeof(T));
    name_all(joiner, args_);
    if (!joiner.suits()) return false;
    if constexpr (!(detail::is_tensor<Es> && ...)) {
      const bool large = target.size() * static_cast<int64_t>(sizeof(T)) >= many_bytes;
      if (!large || joiner.longest() >= sector) return false;
      if (alike_) {
        add_all(joiner, detail::materialize_fused<D>(args_));
        joiner.write(text, target);
        return true;
      }
    }
    add_all(joiner, args_);
    joiner.write(text, target);
    return true;
  }

  /// Where part number k of `length` elements along the axis, before which there are `at`, goes.
  template <class T, class D>
  Tensor<T, D> place(const Tensor<T, D>& target, int64_t& at, int64_t length) const {
    const Tensor<T, D> part = target.narrow(axis_, at, K::stacks ? 1 : length);
    at += K::stacks ? 1 : length;
    return K::stacks ? part.squeeze(axis_) : part;
  }
  int64_t length_of(const Shape& shape) const { return K::stacks ? 1 : shape[axis_]; }

  template <class T, class D, std::size_t... I>
  void evaluate(const Tensor<T, D>& target, std::index_sequence<I...>) const {
    int64_t at = 0;
    Tensor<T, D> places[] = {
        place(target, at, length_of(get<static_cast<int>(I)>(args_).shape()))...};
    constexpr bool copies = (detail::is_tensor<Es> && ...);
    if constexpr (K::stacks || !copies) {
      if (alike_ && (!copies || are_level(places, sizeof...(I)))) {
        tie(places[I]...) = fuse(get<static_cast<int>(I)>(args_)...);
        return;
      }
    }
    if constexpr (copies || !K::stacks) (places[I].assign(get<static_cast<int>(I)>(args_)), ...);
  }

  /// Whether vectors of 16 bytes begin at the same elements of all places. A kernel that writes
  /// several targets finds them for the first one: another one's elements, stored one by one, took
  /// four times as long, and a copy for each place finds its own.
  template <class Place>
  static bool are_level(const Place* places, std::size_t n) {
    bool level = true;
    for (std::size_t k = 1; k < n; ++k) {
      const auto step = reinterpret_cast<std::uintptr_t>(places[k].data()) -
                        reinterpret_cast<std::uintptr_t>(places[0].data());
      level = level && (step % 16 == 0 || places[k].size() < 16384);
    }
    return level || places[0].rank() == 0 || places[0].strides()[places[0].rank() - 1] != 1;
  }

  Pack<Es...> args_;
  int axis_ = 0;
  bool alike_ = true;
  Shape shape_;
};

WEFT_MODEL(OpaqueNode<Joined<joining::cat, Tensor<float, Cpu>, Tensor<float, Cpu>>>);

}  // namespace weft
