// Elements named by an index for each axis: x at (i, j), gather_nd, index_put, scatter_nd.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/ops/index/ravel.hpp"
#include "weft/ops/index/scatter.hpp"

namespace weft {

namespace detail {
/// x with its first `count` axes merged.
template <class V>
V with_joined_axes(const char* operation, const V& x, int count) {
  if (count > x.rank() || count < 1) {
    fail<IndexError>(operation, count, " indices for shape ", x.shape(), ", expected 1 to ",
                     x.rank());
  }
  Shape shape{1};
  for (int i = 0; i < x.rank(); ++i) {
    if (i < count) shape[0] *= x.shape()[i];
    if (i >= count) shape.push_back(x.shape()[i]);
  }
  return x.reshape(shape);
}
template <class T, class D>
const Storage* storage_of(const Tensor<T, D>& x) {
  return x.storage();
}
template <class V>
const Storage* storage_of(const V& x) {
  return x.value().storage();
}
}  // namespace detail

/// The elements, or slices, at an index for each of the first axes, which broadcast: NumPy's and
/// PyTorch's x[i, j]. Evaluated in the kernel of the statement that reads them.
template <ExpressionLike X, OperandOrMistake I, OperandOrMistake... Js>
  requires(sizeof...(Js) > 0)
auto at_indices(const X& e, const I& i, const Js&... js) {
  const auto x = e.eval();
  using D = typename std::remove_cvref_t<decltype(x)>::device_type;
  const auto rows = detail::with_joined_axes("at_indices", x, 1 + sizeof...(Js));
  const auto positions = detail::raveled_from<D>("at_indices", x.shape(), 0, detail::storage_of(x),
                                                 Scalar<int64_t>{0}, i, js...);
  return take(rows, positions, axis(0));
}

namespace detail {
/// The coordinates along the last axis of indices of shape (..., k).
template <class I, class D>
std::vector<Tensor<I, D>> coordinates_of(const char* operation, const Tensor<I, D>& indices) {
  if (indices.rank() == 0) {
    fail<ShapeError>(operation, "indices of rank 0, expected (..., number of indices)");
  }
  std::vector<Tensor<I, D>> out;
  const int last = indices.rank() - 1;
  for (int64_t k = 0; k < indices.size(last); ++k) {
    out.push_back(indices.narrow(last, k, 1).squeeze(last));
  }
  return out;
}

/// Writes or adds values to the slices selected by an index for each of the first axes.
template <Update Kind, class T, class D, class I, class S>
Tensor<T, D> put_at(const char* operation, const Tensor<T, D>& x,
                    const std::vector<Tensor<I, D>>& indices, const S& values) {
  const auto count = static_cast<int>(indices.size());
  const Tensor<T, D> whole = x.contiguous();
  const auto rows = with_joined_axes(operation, whole, count);
  Shape sizes;
  for (int i = 0; i < count; ++i) sizes.push_back(x.shape()[i]);
  scatter_axis<Indexing::instead, Kind>(operation, rows, axis(0), ravel_multi_index(indices, sizes),
                                        values);
  if (whole.data() != x.data()) x.assign(whole);
  return x;
}
}  // namespace detail

/// x[i, j] = values: writes to the slices selected by an index for each of the first axes, and
/// returns x. Indices broadcast to one shape, and the values to the shape of the selection.
template <class T, Device D, class I, OperandOrMistake S>
Tensor<T, D> index_put(const Tensor<T, D>& x, const std::vector<Tensor<I, D>>& indices,
                       const S& values) {
  return detail::put_at<detail::Update::store>("index_put", x, indices, values);
}
template <class T, Device D, class I, OperandOrMistake S>
Tensor<T, D> index_put(const Tensor<T, D>& x, std::initializer_list<Tensor<I, D>> indices,
                       const S& values) {
  return index_put(x, std::vector<Tensor<I, D>>(indices), values);
}
/// With PyTorch's accumulate: the error says what to write.
template <ExpressionLike X, class I, Device D, OperandOrMistake S>
auto index_put(const X& x, std::initializer_list<Tensor<I, D>>, const S&, bool) {
  static_assert(detail::always_false<X>, "weft: to add write index_put_add(x, {i, j}, values)");
  return x;
}
/// Adds values to the slices that index_put would write, like PyTorch's accumulate=True.
template <class T, Device D, class I, OperandOrMistake S>
Tensor<T, D> index_put_add(const Tensor<T, D>& x, const std::vector<Tensor<I, D>>& indices,
                           const S& values) {
  return detail::put_at<detail::Update::add>("index_put_add", x, indices, values);
}

template <class T, Device D, class I, OperandOrMistake S>
Tensor<T, D> index_put_add(const Tensor<T, D>& x, std::initializer_list<Tensor<I, D>> indices,
                           const S& values) {
  return index_put_add(x, std::vector<Tensor<I, D>>(indices), values);
}

namespace detail {
/// put_at of a copy of a Var, with gradients for it and for the values.
template <Update Kind, class V, class I, class D, class S>
V put_at_copy(const char* operation, const V& x, const std::vector<Tensor<I, D>>& indices,
              const S& values) {
  const auto count = static_cast<int>(indices.size());
  const Shape whole = x.shape();
  Shape sizes;
  for (int i = 0; i < count && i < whole.rank(); ++i) sizes.push_back(whole[i]);
  const auto at = ravel_multi_index(indices, sizes);
  Shape shape = at.shape();
  for (int i = count; i < whole.rank(); ++i) shape.push_back(whole[i]);
  const auto rows = [=](const auto& t) { return with_joined_axes(operation, t, count); };
  const auto read = [=](const auto& g) { return take(rows(g), at, axis(0)); };
  const auto write = [=](const auto& t, const auto& s) {
    scatter_axis<Indexing::instead, Kind>(operation, rows(t), axis(0), at, s);
  };
  return written_by<Kind>(operation, x, values, shape, write, read);
}
}  // namespace detail

/// The same for a Var: a new one, with gradients for x and the values.
template <ExpressionLike X, class I, Device D, OperandOrMistake S>
  requires(detail::has_var<X>)
auto index_put(const X& x, const std::vector<Tensor<I, D>>& indices, const S& values) {
  return detail::put_at_copy<detail::Update::store>("index_put", x.eval(), indices, values);
}
template <ExpressionLike X, class I, Device D, OperandOrMistake S>
  requires(detail::has_var<X>)
auto index_put(const X& x, std::initializer_list<Tensor<I, D>> indices, const S& values) {
  return index_put(x, std::vector<Tensor<I, D>>(indices), values);
}
template <ExpressionLike X, class I, Device D, OperandOrMistake S>
  requires(detail::has_var<X>)
auto index_put_add(const X& x, const std::vector<Tensor<I, D>>& indices, const S& values) {
  return detail::put_at_copy<detail::Update::add>("index_put_add", x.eval(), indices, values);
}
template <ExpressionLike X, class I, Device D, OperandOrMistake S>
  requires(detail::has_var<X>)
auto index_put_add(const X& x, std::initializer_list<Tensor<I, D>> indices, const S& values) {
  return index_put_add(x, std::vector<Tensor<I, D>>(indices), values);
}

/// The slices of x at coordinates, which lie along the last axis of the indices: indices of shape
/// (..., k) select by x's first k axes and give slices of the others.
template <ExpressionLike X, ExpressionLike I>
auto gather_nd(const X& e, const I& indices) {
  const auto x = e.eval();
  const auto parts = detail::coordinates_of("gather_nd", indices.eval());
  const auto rows = detail::with_joined_axes("gather_nd", x, static_cast<int>(parts.size()));
  Shape sizes;
  for (std::size_t i = 0; i < parts.size(); ++i) sizes.push_back(x.shape()[static_cast<int>(i)]);
  return take(rows, ravel_multi_index(parts, sizes), axis(0));
}
/// Writes values to the slices of x that gather_nd would read, and returns x.
template <class T, Device D, ExpressionLike I, OperandOrMistake S>
Tensor<T, D> scatter_nd(const Tensor<T, D>& x, const I& indices, const S& values) {
  return detail::put_at<detail::Update::store>(
      "scatter_nd", x, detail::coordinates_of("scatter_nd", indices.eval()), values);
}
/// Adds values to the slices of x that gather_nd would read, and returns x.
template <class T, Device D, ExpressionLike I, OperandOrMistake S>
Tensor<T, D> scatter_nd_add(const Tensor<T, D>& x, const I& indices, const S& values) {
  return detail::put_at<detail::Update::add>(
      "scatter_nd_add", x, detail::coordinates_of("scatter_nd_add", indices.eval()), values);
}
/// The same for a Var: a new one, with gradients for x and the values.
template <ExpressionLike X, ExpressionLike I, OperandOrMistake S>
  requires(detail::has_var<X>)
auto scatter_nd(const X& x, const I& indices, const S& values) {
  return detail::put_at_copy<detail::Update::store>(
      "scatter_nd", x.eval(), detail::coordinates_of("scatter_nd", indices.eval()), values);
}
template <ExpressionLike X, ExpressionLike I, OperandOrMistake S>
  requires(detail::has_var<X>)
auto scatter_nd_add(const X& x, const I& indices, const S& values) {
  return detail::put_at_copy<detail::Update::add>(
      "scatter_nd_add", x.eval(), detail::coordinates_of("scatter_nd_add", indices.eval()), values);
}

}  // namespace weft
