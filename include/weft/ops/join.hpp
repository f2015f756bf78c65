// cat and stack: tensors one after the other along an axis.
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Long because joining has a form for lists, for packs and for expressions, and their errors.

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
                       ", expected equal ones but for axis ", axis);
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

/// The parts, followed by one more.
template <class X>
Pack<X> appended(const Pack<>&, const X& x) {
  return {x, {}};
}
template <class Head, class... Tail, class X>
auto appended(const Pack<Head, Tail...>& parts, const X& x) {
  return Pack<Head, Tail..., X>{parts.head, appended(parts.tail, x)};
}

/// The values of what is joined, shapes and axis checked; f(part, place) for each and its view.
template <class T, class D, class Parts, class F>
Tensor<T, D> join(const char* operation, const Parts& parts, const Axes& axes, const F& f) {
  if (parts.empty()) fail<ValueError>(operation, "no tensors, expected one at least");
  const int axis = one_axis(operation, axes, parts[0].rank());
  std::vector<Shape> shapes;
  for (const auto& part : parts) shapes.push_back(part.shape());
  const auto out = empty<T>(joined_shape(operation, shapes, axis), parts[0].device());
  if constexpr (joins_at_once<D> && std::is_same_v<typename Parts::value_type, Tensor<T, D>>) {
    JoinerOf<D> joiner(axis, sizeof(T));
    for (const Shape& shape : shapes) joiner.name(shape);
    if (joiner.suits()) {
      for (const auto& part : parts) joiner.add(part);
      joiner.write(operation, out);
      return out;
    }
  }
  int64_t at = 0;
  for (const auto& part : parts) {
    f(part, out.narrow(axis, at, part.shape()[axis]));
    at += part.shape()[axis];
  }
  return out;
}
template <class T, class D, class A>
Tensor<T, D> stacked(const std::vector<Tensor<T, D>>& parts, const A& axis) {
  if (parts.empty()) fail<ValueError>("stack", "no tensors, expected one at least");
  for (const auto& part : parts) {
    if (!(part.shape() == parts[0].shape())) {
      fail<ShapeError>("stack", "shapes ", parts[0].shape(), " and ", part.shape(),
                       ", expected equal ones");
    }
  }
  const int at = one_axis("stack", axis, parts[0].rank() + 1);
  std::vector<Tensor<T, D>> raised;
  for (const auto& part : parts) raised.push_back(part.unsqueeze(at));
  return join<T, D>("stack", raised, weft::axis(at),
                    [](const auto& part, const auto& place) { place.assign(part); });
}

/// Accepts a braced list with expressions of different types, to say what to write instead.
struct MixedPart {
  template <class X>
  MixedPart(const X&) {}
};
/// Whether the parts in a braced list have one type.
template <class A>
constexpr bool are_parts() {
  static_assert(always_false<A>,
                "weft: braces hold tensors, or expressions, of one type: write cat(a, b * 2, "
                "axis(0)), stack(a, b * 2, axis(0)) for several");
  return false;
}

/// The values of the expressions; the last argument is an axis.
template <class V, class F, class X, class... Rest>
auto with_parts(std::vector<V>& values, const F& f, const X& x, const Rest&... rest) {
  if constexpr (sizeof...(Rest) == 0) {
    return f(values, x);
  } else {
    constexpr bool fits = requires { V(x); };
    static_assert(ExpressionLike<X>, "weft: cat and stack take tensors, and the axis(n) last");
    if constexpr (ExpressionLike<X> && fits) values.push_back(V(x));
    return with_parts(values, f, rest...);
  }
}
}  // namespace detail

/// Concatenates tensors along one of their axes, axis(0) by default; their other sizes must be
/// equal.
template <class T, Device D, class A = Axes>
Tensor<T, D> cat(const std::vector<Tensor<T, D>>& parts, const A& axis = {0}) {
  if constexpr (detail::is_axis<A>()) {
    return detail::join<T, D>("cat", parts, axis,
                              [](const auto& part, const auto& place) { place.assign(part); });
  }
  return {};
}

/// Stacks tensors of the same shape along a new axis, axis(0) by default.
template <class T, Device D, class A = Axes>
Tensor<T, D> stack(const std::vector<Tensor<T, D>>& parts, const A& axis = {0}) {
  if constexpr (detail::is_axis<A>()) return detail::stacked(parts, axis);
  return {};
}

/// cat({a, b}, axis(0)): tensors, Vars or expressions of one type.
template <Expression E, class A = Axes>
auto cat(std::initializer_list<E> parts, const A& axis = {0}) {
  std::vector<typename detail::Evaluated<E>::type> values;
  for (const E& part : parts) values.push_back(part.eval());
  return cat(values, axis);
}
template <Expression E, class A = Axes>
auto stack(std::initializer_list<E> parts, const A& axis = {0}) {
  std::vector<typename detail::Evaluated<E>::type> values;
  for (const E& part : parts) values.push_back(part.eval());
  return stack(values, axis);
}
template <class A = Axes>
Tensor<float> cat(std::initializer_list<detail::MixedPart>, const A& = {}) {
  detail::are_parts<A>();
  return {};
}
template <class A = Axes>
Tensor<float> stack(std::initializer_list<detail::MixedPart>, const A& = {}) {
  detail::are_parts<A>();
  return {};
}

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
        fail<ShapeError>(text, "shapes ", shapes[0], " and ", shape, ", expected equal ones");
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

  /// Joins tensors with short pieces. What is computed goes by memory before, where stores of such
  /// pieces would take longer than that.
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

namespace detail {
/// The node that joins the parts; the last argument is an axis.
template <class K, class... Ps, class X, class... Rest>
auto joined_node(const Pack<Ps...>& parts, const X& x, const Rest&... rest) {
  if constexpr (sizeof...(Rest) == 0) {
    return Joined<K, Ps...>(x, parts);
  } else {
    using E = operand_t<typename std::remove_cvref_t<X>::value_type, X>;
    const E part = AsOperand<typename E::value_type, void>{}(x);
    return joined_node<K>(appended(parts, part), rest...);
  }
}

/// Whether what is joined ends with axis(n) and has one element type before it; if not, one compile
/// error that says what to write.
template <class X, class... Rest>
constexpr bool can_join() {
  using Last = typename decltype((std::type_identity<X>{}, ..., std::type_identity<Rest>{}))::type;
  constexpr bool ends = std::is_same_v<Last, Axes>;
  static_assert(ends,
                "weft: cat and stack take the axis last, or tensors in braces: write "
                "cat(a, b, axis(0)), cat({a, b})");
  constexpr int parts = (0 + ... + (ExpressionLike<Rest> ? 1 : 0));
  constexpr bool expressions = parts + 1 == static_cast<int>(sizeof...(Rest));
  static_assert(expressions || !ends, "weft: cat and stack take tensors, and the axis(n) last");
  constexpr bool same = ([] {
    if constexpr (ExpressionLike<Rest>) {
      return std::is_same_v<typename Rest::value_type, typename X::value_type>;
    } else {
      return true;
    }
  }() && ...);
  static_assert(same || !ends || !expressions,
                "weft: cat and stack join one element type: write cast<T>(x)");
  return ends && expressions && same;
}

template <class... Xs>
inline constexpr bool any_var = ([] {
  if constexpr (ExpressionLike<Xs>) {
    return has_var<Xs>;
  } else {
    return false;
  }
}() || ...);

/// The Var that an expression with one among X and the rest becomes.
template <class X, class... Rest>
auto value_among() {
  if constexpr (any_var<X> || sizeof...(Rest) == 0) {
    return std::type_identity<typename Evaluated<X>::type>{};
  } else {
    return value_among<Rest...>();
  }
}
template <class... Xs>
using var_among = typename decltype(value_among<Xs...>())::type;
}  // namespace detail

/// cat(a, b * 2, axis(0)): tensors or expressions, then the axis. It is an expression itself: each
/// part is computed directly in its place, parts of one shape in one kernel. With a Var it gives a
/// Var.
template <ExpressionLike X, class Y, class... Rest>
auto cat(const X& x, const Y& y, const Rest&... rest) {
  if constexpr (!detail::can_join<X, Y, Rest...>()) {
    return Tensor<float>{};
  } else if constexpr (detail::any_var<X, Y, Rest...>) {
    std::vector<detail::var_among<X, Y, Rest...>> values;
    return detail::with_parts(
        values, [](const auto& parts, const auto& axis) { return cat(parts, axis); }, x, y,
        rest...);
  } else {
    return detail::joined_node<joining::cat>(Pack<>{}, x, y, rest...);
  }
}
/// stack(a, b * 2, axis(0)): the same along a new axis.
template <ExpressionLike X, class Y, class... Rest>
auto stack(const X& x, const Y& y, const Rest&... rest) {
  if constexpr (!detail::can_join<X, Y, Rest...>()) {
    return Tensor<float>{};
  } else if constexpr (detail::any_var<X, Y, Rest...>) {
    std::vector<detail::var_among<X, Y, Rest...>> values;
    return detail::with_parts(
        values, [](const auto& parts, const auto& axis) { return stack(parts, axis); }, x, y,
        rest...);
  } else {
    return detail::joined_node<joining::stack>(Pack<>{}, x, y, rest...);
  }
}

WEFT_MODEL(OpaqueNode<Joined<joining::cat, Tensor<float, Cpu>, Tensor<float, Cpu>>>);

}  // namespace weft
