// einsum and tensordot: sums over named axes, as permuted views and one matrix product.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/ops/elementwise/cast.hpp"
#include "weft/ops/linalg/einsum_terms.hpp"
#include "weft/ops/linalg/matmul.hpp"

namespace weft {

namespace detail {

/// A tensor whose axes have names.
template <class X>
struct Named {
  X x;
  EinsumTerm term;
};

/// The diagonals of axes of one name, then sums over those that neither `kept` nor `other` has.
template <class X>
Named<X> simplified(X x, EinsumTerm term, const EinsumTerm& kept, const EinsumTerm& other) {
  using T = typename X::value_type;
  for (int i = 0; i < term.rank; ++i) {
    for (int j = i + 1; j < term.rank; ++j) {
      if (term.name[i] != term.name[j]) continue;
      x = x.diagonal(0, i, j);
      const char name = term.name[i];
      term.erase(j);
      term.erase(i);
      term.push_back(name);
      i = -1;
      break;
    }
  }
  Axes gone;
  for (int i = term.rank - 1; i >= 0; --i) {
    if (kept.find(term.name[i]) >= 0 || other.find(term.name[i]) >= 0) continue;
    gone.push_back(i);
    term.erase(i);
  }
  if (gone.rank() > 0) x = X(cast<T>(sum(x, gone)));
  return {x, term};
}

/// The axes in the order of `names`, which are all of them.
template <class X>
X ordered(const Named<X>& a, const EinsumTerm& names) {
  Shape axes;
  for (int i = 0; i < names.rank; ++i) axes.push_back(a.term.find(names.name[i]));
  return a.x.permute(axes);
}

/// The same with an axis of size 1 for each name that it lacks.
template <class X>
X spread(const Named<X>& a, const EinsumTerm& names) {
  EinsumTerm own;
  for (int i = 0; i < names.rank; ++i) {
    if (a.term.find(names.name[i]) >= 0) own.push_back(names.name[i]);
  }
  X x = ordered(a, own);
  for (int i = 0; i < names.rank; ++i) {
    if (a.term.find(names.name[i]) < 0) x = x.unsqueeze(i);
  }
  return x;
}

/// Stretches summed axes of size 1 to the other operand's size: axes of `...` broadcast.
template <class X, class Y>
void stretch_inner(X& x, int first_x, Y& y, int first_y, int count) {
  Shape to_x = x.shape();
  Shape to_y = y.shape();
  for (int i = 0; i < count; ++i) {
    int64_t& in_x = to_x[first_x + i];
    int64_t& in_y = to_y[first_y + i];
    if (in_x == 1) in_x = in_y;
    if (in_y == 1) in_y = in_x;
  }
  if (!(to_x == x.shape())) x = x.expand(to_x);
  if (!(to_y == y.shape())) y = y.expand(to_y);
}

/// sum of a b over the names that `out` lacks: a batch of products of matrices whose rows and
/// columns are the names that only a and only b have.
template <class R, class X, class Y>
R named_product(const char* operation, const Named<X>& a, const Named<Y>& b,
                const EinsumTerm& out) {
  EinsumTerm batch;
  EinsumTerm rows;
  EinsumTerm columns;
  EinsumTerm inner;
  for (int i = 0; i < out.rank; ++i) {
    const bool in_a = a.term.find(out.name[i]) >= 0;
    const bool in_b = b.term.find(out.name[i]) >= 0;
    (in_a && in_b ? batch : in_a ? rows : columns).push_back(out.name[i]);
  }
  for (int i = 0; i < a.term.rank; ++i) {
    if (out.find(a.term.name[i]) < 0) inner.push_back(a.term.name[i]);
  }
  if (inner.rank == 0) return R(spread(a, out) * spread(b, out));
  X left = ordered(a, batch + rows + inner);
  Y right = ordered(b, batch + inner + columns);
  stretch_inner(left, batch.rank + rows.rank, right, batch.rank, inner.rank);
  Shape left_shape;
  Shape right_shape;
  Shape sizes;
  for (int i = 0; i < batch.rank; ++i) {
    const int64_t size_a = left.shape()[i];
    const int64_t size_b = right.shape()[i];
    left_shape.push_back(size_a);
    right_shape.push_back(size_b);
    sizes.push_back(size_a == 1 ? size_b : size_a);
  }
  int64_t m = 1;
  int64_t n = 1;
  int64_t k = 1;
  for (int i = 0; i < rows.rank; ++i) m *= left.shape()[batch.rank + i];
  for (int i = 0; i < inner.rank; ++i) k *= right.shape()[batch.rank + i];
  for (int i = 0; i < columns.rank; ++i) n *= right.shape()[batch.rank + inner.rank + i];
  if (batch.rank > max_rank - 2) {
    fail<ShapeError>(operation, batch.rank, " indices shared by both operands and the result, ",
                     "expected at most ", max_rank - 2);
  }
  for (int64_t size : {m, k}) left_shape.push_back(size);
  for (int64_t size : {k, n}) right_shape.push_back(size);
  for (int i = 0; i < rows.rank; ++i) sizes.push_back(left.shape()[batch.rank + i]);
  for (int i = 0; i < columns.rank; ++i) {
    sizes.push_back(right.shape()[batch.rank + inner.rank + i]);
  }
  const R result(matmul(left.reshape(left_shape), right.reshape(right_shape)));
  return ordered(Named<R>{result.reshape(sizes), batch + rows + columns}, out);
}

/// A tensor with read-only elements, or a Var as it is.
template <class X>
auto readable(const X& x) {
  if constexpr (is_var<X>) {
    return x;
  } else {
    return Access::unconst(x);
  }
}

/// The product of two terms, with the operand that has the last name of the result on the right,
/// so that its elements lie in order.
template <class A, class B>
auto contract(const char* operation, A&& a, B&& b, const EinsumTerm& term_a,
              const EinsumTerm& term_b, const EinsumTerm& out) {
  using X = std::remove_cvref_t<A>;
  using Y = std::remove_cvref_t<B>;
  using T = std::remove_const_t<typename X::value_type>;
  using D = common_device_of<X, Y>;
  using R = std::conditional_t<has_var<X> || has_var<Y>, Var<T, D>, Tensor<T, D>>;
  const auto left = simplified(readable(a), term_a, out, term_b);
  const auto right = simplified(readable(b), term_b, out, term_a);
  const bool turned = out.rank > 0 && right.term.find(out.name[out.rank - 1]) < 0;
  return turned ? named_product<R>(operation, right, left, out)
                : named_product<R>(operation, left, right, out);
}

/// The product so far, whose axes have the names `before`, times operand number k and the rest.
template <class A, class B, class... Rest>
auto contract_on(const EinsumFormula& f, int k, int operands, const A& a, const EinsumTerm& before,
                 const B& b, const Rest&... rest) {
  const EinsumTerm names = f.kept(before, k, operands);
  auto product = contract("einsum", a, as_tensor(b), before, f.term[k], names);
  if constexpr (sizeof...(Rest) == 0) {
    return product;
  } else {
    return contract_on(f, k + 1, operands, product, names, rest...);
  }
}

}  // namespace detail

/// Einstein summation as in NumPy and PyTorch, einsum("bij,bjk->bik", a, b): letters name axes,
/// `...` leading axes that broadcast; axes missing from the result are summed, including `...`.
/// Evaluated at the call, by one matrix product on views; an operand is copied only if its strides
/// require it.
template <ExpressionLike A, ExpressionLike B>
auto einsum(const char* formula, A&& a, B&& b) {
  using Check =
      detail::OperandCheck<product::einsum, std::remove_cvref_t<A>, std::remove_cvref_t<B>>;
  if constexpr (Check::report()) {
    const Shape shapes[] = {a.shape(), b.shape()};
    const detail::EinsumFormula f(formula, shapes, 2);
    return detail::contract("einsum", detail::as_tensor(static_cast<A&&>(a)),
                            detail::as_tensor(static_cast<B&&>(b)), f.term[0], f.term[1], f.out);
  } else {
    return typename Check::first{};
  }
}
/// einsum of three to eight operands, multiplied from left to right: put small operands first.
template <ExpressionLike A, ExpressionLike B, ExpressionLike C, ExpressionLike... More>
auto einsum(const char* formula, const A& a, const B& b, const C& c, const More&... more) {
  using Check = detail::OperandCheck<product::einsum, A, B, C, More...>;
  constexpr int operands = 3 + static_cast<int>(sizeof...(More));
  static_assert(operands <= detail::EinsumFormula::most_operands,
                "weft: einsum takes at most eight operands: write the product of two");
  if constexpr (Check::report()) {
    const Shape shapes[] = {a.shape(), b.shape(), c.shape(), more.shape()...};
    const detail::EinsumFormula f(formula, shapes, operands);
    return detail::contract_on(f, 1, operands, detail::as_tensor(a), f.term[0], b, c, more...);
  } else {
    return typename Check::first{};
  }
}
/// einsum of one operand: traces, diagonals, sums and permutations; a view if possible.
template <ExpressionLike A>
auto einsum(const char* formula, A&& a) {
  using Check = detail::OperandCheck<product::einsum, std::remove_cvref_t<A>>;
  if constexpr (Check::report()) {
    const Shape shapes[] = {a.shape()};
    const detail::EinsumFormula f(formula, shapes, 1);
    const auto x = detail::readable(detail::as_tensor(static_cast<A&&>(a)));
    return detail::ordered(detail::simplified(x, f.term[0], f.out, {}), f.out);
  } else {
    return typename Check::first{};
  }
}

/// Sums of products over pairs of axes, axes_a[i] of a with axes_b[i] of b; the result has the
/// other axes of a, then those of b. Evaluated at the call.
template <ExpressionLike A, ExpressionLike B>
auto tensordot(A&& a, B&& b, const Axes& axes_a, const Axes& axes_b) {
  using Check =
      detail::OperandCheck<product::tensordot, std::remove_cvref_t<A>, std::remove_cvref_t<B>>;
  if constexpr (Check::report()) {
    const detail::EinsumFormula f(a.shape(), axes_a, b.shape(), axes_b);
    return detail::contract("tensordot", detail::as_tensor(static_cast<A&&>(a)),
                            detail::as_tensor(static_cast<B&&>(b)), f.term[0], f.term[1], f.out);
  } else {
    return typename Check::first{};
  }
}
/// tensordot over the last `count` axes of a and the first `count` axes of b.
template <ExpressionLike A, ExpressionLike B>
auto tensordot(A&& a, B&& b, int64_t count = 2) {
  const int most = a.shape().rank() < b.shape().rank() ? a.shape().rank() : b.shape().rank();
  if (count < 0 || count > most) {
    fail<ShapeError>("tensordot", count, " axes of shapes ", a.shape(), " and ", b.shape(),
                     ", expected 0 to ", most);
  }
  Axes axes_a;
  Axes axes_b;
  for (int64_t i = 0; i < count; ++i) {
    axes_a.push_back(a.shape().rank() - count + i);
    axes_b.push_back(i);
  }
  return tensordot(static_cast<A&&>(a), static_cast<B&&>(b), axes_a, axes_b);
}

}  // namespace weft
