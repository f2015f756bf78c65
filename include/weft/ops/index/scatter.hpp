// scatter, scatter_add, index_add, index_copy, put: writes in place where integers say.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/core/axes.hpp"
#include "weft/core/math/atomic.hpp"
#include "weft/ops/index/indexing.hpp"

namespace weft {

namespace detail {
/// What a scatter does with the values.
enum class Update { store, add, add_in_order, multiply, maximum, minimum };
}  // namespace detail

namespace op {
/// Joins a value with it otherwise, in ops/index/scatter_reduce.hpp.
template <class T, class Finder, detail::Update Kind>
struct combine_at;

/// Writes a value to the element of type T that an index names, or reports that it names none.
template <class T, class Finder>
struct store_at {
  static constexpr const char* text = "scatter";
  static constexpr bool has_effects = true;
  Finder finder;
  T* data;

  template <class I>
  WEFT_HD bool value(long long offset, I index, compute_t<T> value) const {
    const bool found = finder.find(offset, index);
    if (found) data[offset] = static_cast<T>(value);
    return found;
  }
};

/// Adds to it.
template <class T, class Finder>
struct add_at {
  static constexpr const char* text = "scatter_add";
  static constexpr bool has_effects = true;
  Finder finder;
  T* data;

  template <class I>
  WEFT_HD bool value(long long offset, I index, compute_t<T> value) const {
    const bool found = finder.find(offset, index);
    if (found) detail::atomic_add(data + offset, value);
    return found;
  }
};
}  // namespace op

namespace detail {
// Defined in eval/scatter.hpp.
template <Indexing How, Update Kind, class T, class D, class I, class S>
void scatter_into(const char* operation, const Tensor<T, D>& target, int axis, const I& indices,
                  const S& source);

template <class... Options>
constexpr Update adding() {
  static_assert((std::is_same_v<Options, Deterministic> && ...),
                "weft: an addition by indices takes one option: deterministic");
  return sizeof...(Options) > 0 ? Update::add_in_order : Update::add;
}

/// Stands for the operation where OperandCheck looks at its operands.
template <Update Kind>
struct Updates {
  using domain =
      std::conditional_t<Kind == Update::store, op::Any,
                         std::conditional_t<Kind == Update::add || Kind == Update::add_in_order,
                                            op::Numeric, op::Real>>;
};

/// Whether a source of type S can be written, or added, to elements of X that I indexes.
template <Update Kind, class T, class X, class I, class S>
constexpr bool can_scatter() {
  if constexpr (can_write<T, S>() && can_index<X, I>()) {
    return OperandCheck<Updates<Kind>, X, S>::report();
  } else {
    return false;
  }
}

template <Indexing How, Update Kind, class T, class D, class I, class S>
Tensor<T, D> scatter(const char* operation, const Tensor<T, D>& target, const Axes* axes,
                     const I& indices, const S& source) {
  if constexpr (can_scatter<Kind, T, Tensor<T, D>, I, S>()) {
    if (target.rank() == 0 && axes != nullptr && axes->rank() == 1 &&
        is_axis_of_number((*axes)[0])) {
      scatter<How, Kind>(operation, target.reshape(Shape{1}), axes, indices, source);
      return target;
    }
    const int axis = axes == nullptr ? 0 : one_axis(operation, *axes, target.rank());
    if constexpr (!Expression<I>) {
      scatter<How, Kind>(operation, target, axes,
                         Scalar<int64_t>{checked_cast<int64_t>(operation, indices)}, source);
    } else if constexpr (!Expression<S>) {
      scatter_into<How, Kind>(
          operation, target, axis, node(indices),
          Scalar<compute_t<T>>{load_element(checked_cast<T>(operation, source))});
    } else {
      scatter_into<How, Kind>(operation, target, axis, node(indices), node(source));
    }
  }
  return target;
}
template <Indexing How, Update Kind, class T, class D, class A, class I, class S>
Tensor<T, D> scatter_axis(const char* operation, const Tensor<T, D>& target, const A& axes,
                          const I& indices, const S& source) {
  if constexpr (is_axis<A>()) {
    return scatter<How, Kind>(operation, target, &axes, indices, source);
  }
  return target;
}

/// Writes to a copy of a Var; of Vars in autograd/index/writes.hpp.
template <class V>
struct Written;

/// The gradients of `write`, which replaces elements of a copy of the target or adds to them;
/// `read` gives these elements.
template <Update Kind, class Write, class Read>
struct WriteRule {
  Write write;
  Read read;

  template <class G, class Pulls, class X, class S>
  void backward(const G& g, const G&, const Pulls& pulls, const X&, const S&) const {
    if (get<0>(pulls).wanted()) {
      const G rest = Kind == Update::store ? g.clone() : g;
      if (Kind == Update::store) write(rest, compute_t<typename G::value_type>(0));
      get<0>(pulls)(rest);
    }
    if (get<1>(pulls).wanted()) get<1>(pulls)(G(read(g)));
  }
};
/// The Var that write(target, source) makes of a Var, where the source broadcasts to `shape`.
template <Update Kind = Update::store, class V, class S, class Write, class Read>
V written_by(const char* operation, const V& target, const S& source, const Shape& shape,
             const Write& write, const Read& read) {
  return Written<V>::by(operation, WriteRule<Kind, Write, Read>{write, read}, target, source, shape,
                        write);
}
}  // namespace detail

/// Writes the source to the elements of the target at the indices along the axis and the indices'
/// own positions along the others, and returns the target. If several indices name one element, the
/// last write wins on the CPU, and an arbitrary one on CUDA.
template <class T, Device D, class A, OperandOrMistake I, OperandOrMistake S>
Tensor<T, D> scatter(const Tensor<T, D>& target, const A& axis, const I& indices, const S& source) {
  return detail::scatter_axis<Indexing::along, detail::Update::store>("scatter", target, axis,
                                                                      indices, source);
}
/// Adds the source to the elements that scatter would write; with `deterministic` as the last
/// argument, in a fixed order.
template <class T, Device D, class A, OperandOrMistake I, OperandOrMistake S, class... Options>
Tensor<T, D> scatter_add(const Tensor<T, D>& target, const A& axis, const I& indices,
                         const S& source, [[maybe_unused]] const Options&... options) {
  return detail::scatter_axis<Indexing::along, detail::adding<Options...>()>("scatter_add", target,
                                                                             axis, indices, source);
}
/// Writes slices of the source to the slices of the target at the indices, whose axes take the
/// place of the indexed axis, as in take(x, indices, axis(n)).
template <class T, Device D, class A, OperandOrMistake I, OperandOrMistake S>
Tensor<T, D> index_copy(const Tensor<T, D>& target, const A& axis, const I& indices,
                        const S& source) {
  return detail::scatter_axis<Indexing::instead, detail::Update::store>("index_copy", target, axis,
                                                                        indices, source);
}
/// Adds slices of the source to the slices of the target at the indices, as in the gradient of an
/// embedding.
template <class T, Device D, class A, OperandOrMistake I, OperandOrMistake S, class... Options>
Tensor<T, D> index_add(const Tensor<T, D>& target, const A& axis, const I& indices, const S& source,
                       [[maybe_unused]] const Options&... options) {
  return detail::scatter_axis<Indexing::instead, detail::adding<Options...>()>(
      "index_add", target, axis, indices, source);
}
/// Writes one number to the target's slices at the indices.
template <class T, Device D, class A, OperandOrMistake I, NumberLike N>
Tensor<T, D> index_fill(const Tensor<T, D>& target, const A& axis, const I& indices, N value) {
  return detail::scatter_axis<Indexing::instead, detail::Update::store>("index_fill", target, axis,
                                                                        indices, value);
}
namespace detail {
/// scatter to positions in the whole, of values in the indices' order.
template <Update Kind, class T, class D, class I, class S>
Tensor<T, D> put_values(const char* operation, const Tensor<T, D>& target, const I& indices,
                        const S& values) {
  if constexpr (Expression<I> && Expression<S>) {
    if (!(values.shape() == indices.shape()) && values.size() == indices.shape().size()) {
      if constexpr (is_tensor<S>) {
        return scatter<Indexing::whole, Kind>(operation, target, nullptr, indices,
                                              values.reshape(indices.shape()));
      } else {
        return put_values<Kind>(operation, target, indices, values.eval());
      }
    }
  }
  return scatter<Indexing::whole, Kind>(operation, target, nullptr, indices, values);
}
}  // namespace detail

/// Writes the values to the elements at row-major positions of the target. If there are as many
/// values as indices, they are taken in row-major order, whatever their shape; otherwise they
/// broadcast to the indices' shape.
template <class T, Device D, OperandOrMistake I, OperandOrMistake S>
Tensor<T, D> put(const Tensor<T, D>& target, const I& indices, const S& values) {
  return detail::put_values<detail::Update::store>("put", target, indices, values);
}
/// Adds the values to the elements at row-major positions of the target.
template <class T, Device D, OperandOrMistake I, OperandOrMistake S, class... Options>
Tensor<T, D> put_add(const Tensor<T, D>& target, const I& indices, const S& values,
                     [[maybe_unused]] const Options&... options) {
  return detail::put_values<detail::adding<Options...>()>("put_add", target, indices, values);
}

}  // namespace weft
