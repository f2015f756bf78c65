// Scatters: the shape that they run over, overlap checks, and the program that writes.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/eval/assign.hpp"
#include "weft/eval/program/overlap.hpp"
#include "weft/ops/index/scatter.hpp"

namespace weft {

/// The loops of device D that run a program for its writes (cpu/elementwise/scatter.hpp,
/// cuda/elementwise/scatter.hpp); ScatteringDevice says what they provide.
template <class D>
struct Scatterer;

/// A device that scatters: run<T, Types>(name, device, shape, operands, program). operands[0] is
/// the target, of element type T, described as contiguous and of that shape whatever its layout;
/// the others are those that Types lists, starting with the offsets into the target.
template <class D>
concept ScatteringDevice = requires(const detail::Name& name, D device, const Shape& shape,
                                    detail::Operand* operands, const Arg<1, float>& program) {
  Scatterer<D>::template run<float, detail::TypeList<float>>(name, device, shape, operands,
                                                             program);
};

/// Additions by indices in an order that does not change; specialised in
/// cuda/scatter_deterministic.hpp:
///   template <Indexing How, class T, class I, class S>
///   static void add(const char* operation, const Tensor<T, D>& target, int axis, const Shape&,
///                   const I& indices, const S& source);
template <class D>
struct OrderedScatterer;

namespace detail {

/// The shape that a scatter runs over: of its indices, with the target's other axes.
WEFT_OUTLINED inline Shape scattered_shape(const char* operation, Indexing how, const Shape& target,
                                           int axis, const Shape& indices, const Shape& source) {
  const Shape shape = indexed_shape(operation, how, target, axis, indices);
  for (int i = 0; how == Indexing::along && i < shape.rank(); ++i) {
    if (i == axis || shape[i] <= target[i]) continue;
    fail<ShapeError>(operation, "indices of shape ", indices, " for a target of ", target,
                     ", expected axes but ", axis, " no longer");
  }
  if (!broadcasts_to(source, shape)) {
    fail<ShapeError>(operation, "source of shape ", source, " does not broadcast to ", shape,
                     ", the shape of the indexed elements of ", target);
  }
  return shape;
}

/// Whether the header for deterministic additions on D is included; if not, one compile error.
template <class D>
constexpr bool can_add_in_order() {
  constexpr bool here = Complete<OrderedScatterer<D>>;
  static_assert(
      here, "weft: to add deterministically on Cuda include <weft/cuda/scatter_deterministic.hpp>");
  return here;
}

template <Update Kind, class T, class Finder>
struct UpdateOf {
  using type = op::combine_at<T, Finder, Kind>;
};
template <class T, class Finder>
struct UpdateOf<Update::store, T, Finder> {
  using type = op::store_at<T, Finder>;
};
template <class T, class Finder>
struct UpdateOf<Update::add, T, Finder> {
  using type = op::add_at<T, Finder>;
};
template <class T, class Finder>
struct UpdateOf<Update::add_in_order, T, Finder> : UpdateOf<Update::add, T, Finder> {};
template <Update Kind, class T, class Finder>
using update_of = typename UpdateOf<Kind, T, Finder>::type;

/// A copy of an operand's value; a number stays a number.
template <class D, class E>
auto own_value(const E& e, D device) {
  if constexpr (requires { typename E::number; }) {
    return e;
  } else {
    return materialize_on<typename E::value_type, D>(e, device);
  }
}

template <Indexing How, Update Kind, class T, class D, class I, class S>
void run_scatter(const char* operation, const Tensor<T, D>& target, int axis, const Shape& shape,
                 const I& indices, const S& source) {
  using Finder = finder_of<How>;
  using Op = update_of<Kind, T, Finder>;
  using Offsets = Arg<1, IndexOperand>;
  using Types = typename Join<TypeList<>, TypeList<IndexOperand>, typename Lowering<I>::types,
                              typename Lowering<S>::types>::type;
  constexpr int n = count(Types{}) + 1;
  constexpr int index_operands = operand_count<I>;
  Operand operands[n];
  set_target(operands[0], target);
  set_offsets(operands[1], How, target.layout(), axis, shape);
  auto index = Lowering<I>::template lower<2>(indices, operands);
  if (How == Indexing::instead) append_axes(operands + 2, index_operands, target.rank() - axis - 1);
  auto value = Lowering<S>::template lower<2 + index_operands>(source, operands);
  const D device = place<D>(operation, operands, n, D{});
  if (any_conflict(operands, n, false)) {
    return run_scatter<How, Kind>(operation, target, axis, shape, own_value(indices, device),
                                  own_value(source, device));
  }
  const IndexRange range = index_range<D>(operation, How, target.shape(), axis, target.storage());
  Finder* const kind = nullptr;
  const Apply<Op, Offsets, decltype(index), decltype(value)> program{
      {finder(kind, range, target.layout(), axis), target.data()},
      make_pack(Offsets{}, index, value)};
  operands[0].set(target.data(), sizeof(T), shape, contiguous_strides(shape), target.storage());
  broadcast_operands(operands, n, shape);
  if constexpr (is_included<D>()) {
    Scatterer<loops_of<D>>::template run<T, Types>(Name{operation}, device, shape, operands,
                                                   program);
  }
}

template <Indexing How, Update Kind, class T, class D, class I, class S>
void scatter_into(const char* operation, const Tensor<T, D>& target, int axis, const I& indices,
                  const S& source) {
  const Shape shape =
      scattered_shape(operation, How, target.shape(), axis, indices.shape(), source.shape());
  if (shape.size() == 0) return;
  if (target.layout().has_overlap()) {
    fail<ShapeError>(operation, "the target of shape ", target.shape(), " and strides ",
                     target.strides(), " has elements that share memory: write to a clone()");
  }
  if (target.storage() != nullptr) target.storage()->bump_version();
  if constexpr (Kind == Update::add_in_order && is_cuda<D>) {
    if constexpr (can_add_in_order<loops_of<D>>()) {
      OrderedScatterer<loops_of<D>>::template add<How>(operation, target, axis, shape, indices,
                                                       source);
    }
  } else {
    run_scatter<How, Kind>(operation, target, axis, shape, indices, source);
  }
}

}  // namespace detail
}  // namespace weft
