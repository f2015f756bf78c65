// Segments: the element-wise part of a recorded expression, whose gradients one kernel computes.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/autograd/expression/sweep.hpp"
#include "weft/autograd/expression/without_vars.hpp"
#include "weft/eval/assign.hpp"
#include "weft/eval/gather.hpp"

namespace weft::autograd {

using weft::detail::Operand;
using weft::detail::TypeList;

/// The element of operands of which only the shape matters: as large as the largest element, a
/// Small of 64 doubles.
alignas(16) inline constexpr char unread_element[512] = {};

/// Makes an operand of a shape whose elements are not used: a single element of zeros stands for
/// all.
[[gnu::noinline]] inline void set_unread(Operand& operand, std::size_t bytes, const Shape& shape) {
  Strides none;
  for (int d = 0; d < shape.rank(); ++d) none.push_back(0);
  operand.set(unread_element, bytes, shape, none, nullptr);
}
/// On a GPU such an element lies where `known` begins: a kernel that is compiled without
/// optimisation loads it.
template <class D>
void place_unread([[maybe_unused]] Operand* operands, [[maybe_unused]] int n,
                  [[maybe_unused]] const Operand& known) {
  if constexpr (is_cuda<D>) {
    for (int i = 0; i < n; ++i) {
      if (operands[i].data != unread_element) continue;
      const auto address = reinterpret_cast<std::uintptr_t>(known.data);
      operands[i].data = known.data - address % 16;
    }
  }
}

/// How E is lowered as part of a segment: `types` lists its operands' element types and `ports` the
/// parts that receive a gradient; mask<B> has a bit for each port's operand if E's operands begin
/// at B. A part that is not element-wise becomes an operand: it is evaluated where its bit in
/// `needed` says that its value is read, unless the operand is there already.
template <class E>
struct Segment {
  using value = compute_t<typename E::value_type>;
  using types = TypeList<value>;
  using ports = TypeList<E>;
  template <int B>
  static constexpr std::uint64_t mask = std::uint64_t{1} << B;

  template <int B>
  static Arg<B, value> lower(const without_vars_t<E>& e, Operand* operands, std::uint64_t needed) {
    using D = typename E::device_type;
    if (operands[B].keep) return {};
    if ((needed >> B & 1U) != 0) {
      const Tensor<value, D> result = weft::detail::materialize_on<value, D>(e, D{});
      operands[B].set(result.data(), sizeof(value), result.shape(), result.strides(),
                      result.storage());
      operands[B].keep = weft::detail::Access::storage(result);
    } else {
      static_assert(sizeof(value) <= sizeof(unread_element));
      set_unread(operands[B], sizeof(value), e.shape());
    }
    return {};
  }
};

template <class E>
  requires(!has_var<E>)
struct Segment<E> {
  using types = typename weft::detail::Lowering<E>::types;
  using ports = TypeList<>;
  template <int B>
  static constexpr std::uint64_t mask = 0;
  template <int B>
  static auto lower(const E& e, Operand* operands, std::uint64_t) {
    return weft::detail::Lowering<E>::template lower<B>(e, operands);
  }
};

template <class T, class D>
struct Segment<Var<T, D>> {
  using types = TypeList<T>;
  using ports = TypeList<Var<T, D>>;
  template <int B>
  static constexpr std::uint64_t mask = std::uint64_t{1} << B;
  template <int B>
  static Arg<B, T> lower(const Tensor<T, D>& e, Operand* operands, std::uint64_t) {
    return weft::detail::Lowering<Tensor<T, D>>::template lower<B>(e, operands);
  }
};

/// Elements gathered from a Var are read where they are needed; the offsets stand for the gather as
/// a port.
template <class K, class T, class D, class I>
struct Segment<Gather<K, Var<T, D>, I>> {
  using Plain = weft::detail::Lowering<Gather<K, Tensor<T, D>, I>>;
  using types = typename Plain::types;
  using ports = TypeList<Gather<K, Var<T, D>, I>>;
  template <int B>
  static constexpr std::uint64_t mask = std::uint64_t{1} << B;
  template <int B>
  static auto lower(const Gather<K, Tensor<T, D>, I>& e, Operand* operands, std::uint64_t) {
    return Plain::template lower<B>(e, operands);
  }
};

namespace detail {
template <int B, class... Args>
constexpr std::uint64_t mask_of() {
  std::uint64_t mask = 0;
  int at = B;
  const auto add = [&]<class A>(const A*) {
    mask |= Segment<A>::template mask<0> << at;
    at += weft::detail::count(typename Segment<A>::types{});
  };
  (add(static_cast<const Args*>(nullptr)), ...);
  return mask;
}
}  // namespace detail

template <class T, class Op, class... Args>
  requires(has_var<Args> || ...)
struct Segment<Map<T, Op, Args...>> {
  using types = typename weft::detail::Join<TypeList<>, typename Segment<Args>::types...>::type;
  using ports = typename weft::detail::Join<TypeList<>, typename Segment<Args>::ports...>::type;
  template <int B>
  static constexpr std::uint64_t mask = detail::mask_of<B, Args...>();

  template <int B>
  static auto lower(const without_vars_t<Map<T, Op, Args...>>& e, Operand* operands,
                    std::uint64_t needed) {
    return args<B>(TypeList<Args...>{}, e.op(), operands, needed, e.args());
  }

 private:
  template <int B, class Arg, class... Rest, class Head, class... Tail, class... Done>
  static auto args(TypeList<Arg, Rest...>, const Op& op, Operand* operands, std::uint64_t needed,
                   const Pack<Head, Tail...>& rest, Done... done) {
    auto program = Segment<Arg>::template lower<B>(rest.head, operands, needed);
    if constexpr (sizeof...(Rest) == 0) {
      return Apply<Op, Done..., decltype(program)>{weft::detail::settled(op),
                                                   make_pack(done..., program)};
    } else {
      constexpr int next = B + weft::detail::count(typename Segment<Arg>::types{});
      return args<next>(TypeList<Rest...>{}, op, operands, needed, rest.tail, done..., program);
    }
  }
};

/// Calls f.template operator()<E, Port, Edge>(e) for each port of a plain expression that is not a
/// tensor; Edge is the number of its first Var.
template <class E, int Port = 0, int Edge = 0, class F>
void for_each_inner(const without_vars_t<E>& e, const F& f);

namespace detail {
template <int Port, int Edge, class F>
void for_each_inner_of(TypeList<>, const Pack<>&, const F&) {}
template <int Port, int Edge, class E, class... Es, class P, class F>
void for_each_inner_of(TypeList<E, Es...>, const P& args, const F& f) {
  for_each_inner<E, Port, Edge>(args.head, f);
  for_each_inner_of<Port + weft::detail::count(typename Segment<E>::ports{}), Edge + var_count<E>>(
      TypeList<Es...>{}, args.tail, f);
}
using weft::detail::is_map;
template <class E>
struct ArgsOf;
template <class T, class Op, class... Args>
struct ArgsOf<Map<T, Op, Args...>> {
  using type = TypeList<Args...>;
};
}  // namespace detail

template <class E, int Port, int Edge, class F>
void for_each_inner(const without_vars_t<E>& e, const F& f) {
  if constexpr (!has_var<E> || is_var<E>) {
  } else if constexpr (detail::is_map<E>) {
    detail::for_each_inner_of<Port, Edge>(typename detail::ArgsOf<E>::type{}, e.args(), f);
  } else {
    f.template operator()<E, Port, Edge>(e);
  }
}

/// What is known about a port when a segment's gradients are computed.
struct PortState {
  Variable* variable = nullptr;  // of a Var
  bool wanted = false;
  bool full = false;  // its shape is the segment's
  signed char slot = 0;
  Shape shape;
};

/// Finds which ports are wanted, which are the same Var, and which were broadcast.
[[gnu::noinline]] inline void plan_ports(PortState* ports, int n, Variable* const* edges,
                                         const int* edge_counts, const bool* is_leaf,
                                         const Operand* operands, std::uint64_t mask,
                                         const Shape& shape) {
  int edge = 0;
  int operand = 0;
  for (int j = 0; j < n; ++j, ++operand) {
    PortState& port = ports[j];
    while ((mask >> operand & 1U) == 0) ++operand;
    const Operand& x = operands[operand];
    for (int d = 0; d < x.rank; ++d) port.shape.push_back(x.size[d]);
    for (int i = 0; i < edge_counts[j]; ++i, ++edge) {
      port.wanted = port.wanted || (edges[edge] != nullptr && edges[edge]->active);
      if (is_leaf[j]) port.variable = edges[edge];
    }
    port.full = port.shape.size() == shape.size() && port.shape.rank() <= shape.rank();
    port.slot = static_cast<signed char>(j);
    for (int i = j - 1; i >= 0 && port.variable != nullptr; --i) {
      if (ports[i].variable == port.variable) port.slot = static_cast<signed char>(i);
    }
  }
}

/// Whether port j is written in full, where its gradient is put, and no other port is: one kernel
/// does not write both. Of several views of one Var, the first is.
[[gnu::noinline]] inline bool is_written_alone(const PortState* ports, int n, int j) {
  if (!ports[j].full) return false;
  const Variable* const variable = ports[j].variable;
  const Variable* const place = variable->place_of_gradient();
  for (int i = 0; i < n; ++i) {
    const PortState& other = ports[i];
    if (i != j && other.slot != j && other.wanted && other.variable != nullptr &&
        other.variable != variable && other.variable->place_of_gradient() == place) {
      if (i < j || variable == place || other.variable == place) return false;
    }
  }
  return true;
}

/// The axes of `shape` along which a part of it was broadcast; kept with size 1.
[[gnu::noinline]] inline weft::detail::ReducedAxes broadcast_axes(const Shape& part,
                                                                  const Shape& shape) {
  weft::detail::ReducedAxes axes{0, true};
  const int shift = shape.rank() - part.rank();
  for (int i = 0; i < shape.rank(); ++i) {
    if (i < shift || part[i - shift] != shape[i]) axes.mask |= 1U << i;
  }
  return axes;
}

}  // namespace weft::autograd
