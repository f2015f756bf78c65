// Products with sparse matrices: matmul(csr, x), and sddmm(csr, a, b), a dense product sampled.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/ops/sparse/coo.hpp"

namespace weft {

namespace sparse {
struct matmul {
  using domain = op::Numeric;
  static constexpr const char* text = "sparse_product";
};
struct sddmm {
  using domain = op::Numeric;
  static constexpr const char* text = "sampled_product";
};

/// What products of elements T are summed in; integers wrap.
template <class T>
struct SumOf {
  using type = compute_t<T>;
};
template <class T>
  requires is_integer<T>
struct SumOf<T> {
  using type = std::conditional_t<(sizeof(T) < 8), unsigned, unsigned long long>;
};
template <class T>
using sum_t = typename SumOf<T>::type;
/// An element as a factor of such a sum.
template <class T>
WEFT_HD WEFT_INLINE sum_t<T> load(T x) {
  return static_cast<sum_t<T>>(load_element(x));
}

/// The shape of a sparse matrix times x.
inline Shape product_shape(const Shape& a, const Shape& x) {
  if (x.rank() != 1 && x.rank() != 2) {
    fail<ShapeError>("matmul", "a sparse matrix of shape ", a, " and an operand of shape ", x,
                     ", expected a vector or a matrix");
  }
  if (x[0] != a[1]) {
    fail<ShapeError>("matmul", "a sparse matrix of shape ", a, " and an operand of shape ", x,
                     ", expected ", a[1], " rows");
  }
  return x.rank() == 1 ? Shape{a[0]} : Shape{a[0], x[1]};
}

/// x, or a copy if its rows are not contiguous or not in order.
template <class T, class D>
Tensor<T, D> by_rows(const Tensor<T, D>& x) {
  const int last = x.rank() - 1;
  const bool neighbours = x.shape()[last] <= 1 || x.strides()[last] == 1;
  const bool rows = last == 0 || x.shape()[0] <= 1 || x.strides()[0] >= x.shape()[1];
  if (neighbours && rows && (last > 0 || x.size() <= 1 || x.strides()[0] == 1)) return x;
  return x.contiguous();
}
/// The elements from a row of x to the next.
template <class X>
int64_t row_step(const X& x) {
  return x.rank() == 1 ? 1 : x.shape()[0] > 1 ? x.strides()[0] : x.shape()[1];
}
}  // namespace sparse

/// The expression of a sparse matrix times a vector or matrix: V are the sparse matrix's values. It
/// is computed by itself; a sum with a dense tensor, relu and gelu_tanh around it are part of the
/// same loop (eval/sparse/epilogue.hpp).
template <class V, class X>
class SparseProduct : public NodeMembers<SparseProduct<V, X>> {
 public:
  using value_type = typename V::value_type;
  using opaque_type = compute_t<value_type>;
  using device_type = typename V::device_type;
  using Indices = Tensor<SparseIndex, device_type>;
  static constexpr bool is_expression = true;
  static constexpr bool is_opaque = true;
  static constexpr const char* text = sparse::matmul::text;

  SparseProduct(sparse::PatternHandle<device_type> pattern, V values, X x)
      : pattern_(static_cast<sparse::PatternHandle<device_type>&&>(pattern)),
        shape_(sparse::product_shape(Shape{pattern_->rows, pattern_->columns}, x.shape())),
        args_{static_cast<V&&>(values),
              {static_cast<X&&>(x), {pattern_->crow, {pattern_->col, {}}}}} {}

  using NodeMembers<SparseProduct>::shape;
  const Shape& shape() const { return shape_; }
  const sparse::PatternHandle<device_type>& pattern() const { return pattern_; }
  const V& values() const { return args_.head; }
  const X& dense() const { return args_.tail.head; }
  const Pack<V, X, Indices, Indices>& args() const { return args_; }

  template <class T, class D>
  void evaluate(const Tensor<T, D>& target) const {
    evaluate(target, Epilogue<value_type, device_type>{});
  }
  /// epilogue(product), in one loop. The target has the product's shape, without gaps.
  template <class T, class D, class C>
  void evaluate(const Tensor<T, D>& target, const Epilogue<value_type, C>& epilogue) const {
    using Loops = std::conditional_t<is_cuda<D>, Cuda, D>;
    if constexpr (sparse::is_included<Loops>()) {
      if (target.size() == 0) return;
      const auto x = sparse::by_rows(detail::value_on(dense(), target.device()));
      SparseLoops<Loops>::multiply(text, *pattern_, values(), x, target, epilogue);
    }
  }

  /// For epilogues: a product's place in an expression, taken by its value.
  template <class Value>
  friend Value with_product(const SparseProduct&, const Value& value) {
    return value;
  }

 private:
  sparse::PatternHandle<device_type> pattern_;
  detail::HeldShape shape_;
  Pack<V, X, Indices, Indices> args_;
};

/// The expression of the elements of a product a b at the places of a pattern, as a vector.
template <class A, class B>
class SampledProduct : public NodeMembers<SampledProduct<A, B>> {
 public:
  using value_type = typename A::value_type;
  using opaque_type = compute_t<value_type>;
  using device_type = detail::common_device_of<A, B>;
  using Indices = Tensor<SparseIndex, device_type>;
  static constexpr bool is_expression = true;
  static constexpr bool is_opaque = true;
  static constexpr const char* text = sparse::sddmm::text;

  SampledProduct(sparse::PatternHandle<device_type> pattern, A a, B b)
      : pattern_(static_cast<sparse::PatternHandle<device_type>&&>(pattern)),
        shape_(Shape{pattern_->count()}),
        args_{static_cast<A&&>(a), {static_cast<B&&>(b), {pattern_->crow, {pattern_->col, {}}}}} {
    const Shape& x = left().shape();
    const Shape& y = right().shape();
    if (x.rank() != 2 || y.rank() != 2 || x[0] != pattern_->rows || y[1] != pattern_->columns ||
        x[1] != y[0]) {
      fail<ShapeError>("sddmm", "factors of shapes ", x, " and ", y,
                       " for a sparse matrix of shape ", Shape{pattern_->rows, pattern_->columns},
                       ", expected (", pattern_->rows, ", k) and (k, ", pattern_->columns, ")");
    }
  }

  using NodeMembers<SampledProduct>::shape;
  const Shape& shape() const { return shape_; }
  const sparse::PatternHandle<device_type>& pattern() const { return pattern_; }
  const A& left() const { return args_.head; }
  const B& right() const { return args_.tail.head; }
  const Pack<A, B, Indices, Indices>& args() const { return args_; }

  template <class T, class D>
  void evaluate(const Tensor<T, D>& target) const {
    using Loops = std::conditional_t<is_cuda<D>, Cuda, D>;
    if constexpr (sparse::is_included<Loops>()) {
      if (target.size() == 0) return;
      const auto a = sparse::by_rows(detail::value_on(left(), target.device()));
      const auto b = detail::value_on(right(), target.device()).t();  // (columns, k)
      SparseLoops<Loops>::sample(text, *pattern_, a, sparse::by_rows(b), target);
    }
  }

 private:
  sparse::PatternHandle<device_type> pattern_;
  detail::HeldShape shape_;
  Pack<A, B, Indices, Indices> args_;
};

WEFT_MODEL(OpaqueNode<SparseProduct<Tensor<float, Cpu>, Tensor<float, Cpu>>>);
WEFT_MODEL(OpaqueNode<SampledProduct<Tensor<float, Cpu>, Tensor<float, Cpu>>>);

namespace sparse {
template <class V, class X>
auto multiply(const PatternHandle<typename V::device_type>& pattern, const V& values, X&& x) {
  using Check = detail::OperandCheck<matmul, V, std::remove_cvref_t<X>>;
  if constexpr (Check::report()) {
    using T = typename Check::element;
    static_assert(!is_dual<T>,
                  "weft: sparse products have gradients, but no Hessian-vector products");
    const detail::AsOperand<T, matmul> as;
    return SparseProduct<V, detail::operand_t<T, X>>(pattern, V(as(values)),
                                                     as(static_cast<X&&>(x)));
  } else {
    return typename Check::first{};
  }
}
}  // namespace sparse

/// A sparse matrix times a vector (columns,) or a matrix (columns, n), dense: a lazy expression of
/// a dense tensor. Half types sum in float. `relu(matmul(a, x) + b)` is one loop, one kernel.
template <CsrLike A, ExpressionLike X>
auto matmul(const A& a, X&& x) {
  return sparse::multiply(a.pattern(), a.values(), static_cast<X&&>(x));
}
/// The same of triplets, which are brought into rows at the call.
template <CooLike A, ExpressionLike X>
auto matmul(const A& a, X&& x) {
  return matmul(a.to_csr(), static_cast<X&&>(x));
}
/// A vector or a matrix times a sparse matrix, evaluated at the call: the transposed product, a
/// view.
template <ExpressionLike X, SparseLike A>
auto matmul(const X& x, const A& a) {
  const auto dense = detail::as_tensor(x);
  const auto turned = a.to_csr().t();
  if (dense.rank() == 0 || dense.rank() > 2 || dense.shape()[dense.rank() - 1] != a.rows()) {
    fail<ShapeError>("matmul", "an operand of shape ", dense.shape(),
                     " and a sparse matrix of shape ", a.shape(), ", expected ", a.rows(),
                     " columns");
  }
  return matmul(turned, dense.t()).eval().t();
}

/// The values of sddmm(x, a, b) as a lazy expression of shape (nnz,).
template <CsrLike S, ExpressionLike A, ExpressionLike B>
auto sddmm_values(const S& x, A&& a, B&& b) {
  using Check = detail::OperandCheck<sparse::sddmm, std::remove_cvref_t<A>, std::remove_cvref_t<B>,
                                     typename S::values_type>;
  if constexpr (Check::report()) {
    using T = typename Check::element;
    const detail::AsOperand<T, sparse::sddmm> as;
    return SampledProduct<detail::operand_t<T, A>, detail::operand_t<T, B>>(
        x.pattern(), as(static_cast<A&&>(a)), as(static_cast<B&&>(b)));
  } else {
    return typename Check::first{};
  }
}
/// The product of a (rows, k) and b (k, columns), dense, at the places of x alone: a sparse matrix
/// of x's pattern. x's values play no part; `x * sddmm(x, a, b)` multiplies by them.
template <CsrLike S, ExpressionLike A, ExpressionLike B>
auto sddmm(const S& x, A&& a, B&& b) {
  return x.with_values(sddmm_values(x, static_cast<A&&>(a), static_cast<B&&>(b)));
}

WEFT_MODEL(OpaqueNode<SparseProduct<Tensor<float, Cpu>, Tensor<float, Cpu>>>);
WEFT_MODEL(OpaqueNode<SampledProduct<Tensor<float, Cpu>, Tensor<float, Cpu>>>);

}  // namespace weft
