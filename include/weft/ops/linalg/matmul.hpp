// Matrix products: matmul mm bmm mv dot outer linear, batched and broadcast.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/ops/elementwise/binary.hpp"
#include "weft/ops/order/scan.hpp"
#include "weft/ops/reduce/reduce.hpp"

namespace weft {

/// The activation function at the end of a product's epilogue.
enum class Activation : unsigned char { identity, relu, gelu_tanh };

/// What a product's call computes in addition: activation(alpha * product + beta * addend + bias).
/// The addend and the bias have elements of type T and shapes that broadcast to the product's.
template <class T, class D>
struct Epilogue {
  Activation activation = Activation::identity;
  compute_t<T> alpha = compute_t<T>(1);
  compute_t<T> beta = compute_t<T>(0);
  const Tensor<T, D>* addend = nullptr;
  const Tensor<T, D>* bias = nullptr;  ///< beside an addend
};

/// The matrix products of device D (cpu/matmul.hpp, cuda/matmul.hpp); MultiplyingDevice says what
/// they provide.
template <class D>
struct Multiplier;

/// A device that multiplies matrices: multiply(operation, x, y, target) writes the product of
/// elements T into elements T or compute_t<T>. Where fuses(activation, dtype) allows it, a form
/// with an epilogue as the last argument is tried first: it returns false, having done nothing, if
/// the device cannot do it in the same call. The target is contiguous, has elements, and shares
/// memory with neither operand; with an addend only as its own elements.
template <class D>
concept MultiplyingDevice = requires(const char* operation, const Tensor<float, D>& x,
                                     const Epilogue<float, D>& epilogue) {
  Multiplier<D>::multiply(operation, x, x, x);
  { Multiplier<D>::multiply(operation, x, x, x, epilogue) } -> std::same_as<bool>;
  { Multiplier<D>::fuses(Activation::relu, Dtype::float32) } -> std::same_as<bool>;
};

namespace product {
/// The products, by their names in messages. All compute what matmul does.
struct matmul {
  using domain = op::Numeric;
  static constexpr const char* text = "matmul";
};
struct mm : matmul {
  static constexpr const char* text = "mm";
};
struct bmm : matmul {
  static constexpr const char* text = "bmm";
};
struct mv : matmul {
  static constexpr const char* text = "mv";
};
struct linear : matmul {
  static constexpr const char* text = "linear";
};
struct einsum : matmul {
  static constexpr const char* text = "einsum";
};
struct tensordot : matmul {
  static constexpr const char* text = "tensordot";
};
}  // namespace product

namespace detail {
/// The shape of matmul(a, b): NumPy's and PyTorch's rules. Throws ShapeError if the inner sizes
/// differ, an operand has no axis, or batches do not broadcast.
WEFT_OUTLINED inline Shape product_shape(const char* operation, const Shape& a, const Shape& b) {
  if (a.rank() == 0 || b.rank() == 0) {
    fail<ShapeError>(operation, "shapes ", a, " and ", b, ", expected at least 1 axis each");
  }
  const int64_t inner = b[b.rank() >= 2 ? b.rank() - 2 : 0];
  if (a[a.rank() - 1] != inner) {
    fail<ShapeError>(operation, "shapes ", a, " and ", b, ": the first has ", a[a.rank() - 1],
                     " columns and the second ", inner, " rows, expected equal numbers");
  }
  Shape batch_a;
  Shape batch_b;
  for (int i = 0; i < a.rank() - 2; ++i) batch_a.push_back(a[i]);
  for (int i = 0; i < b.rank() - 2; ++i) batch_b.push_back(b[i]);
  Shape out = broadcast(operation, batch_a, batch_b);
  if (a.rank() > 1) out.push_back(a[a.rank() - 2]);
  if (b.rank() > 1) out.push_back(b[b.rank() - 1]);
  return out;
}

/// Whether the header with D's products is included; if not, one compile error that names it.
template <class D>
constexpr bool can_multiply() {
  constexpr bool here = requires { sizeof(Multiplier<D>); };
  static_assert(here || !is_cuda<D>,
                "weft: to multiply matrices on Cuda include <weft/cuda/matmul.hpp>");
  static_assert(here || is_cuda<D>, "weft: to multiply matrices on Cpu include <weft/weft.hpp>");
  return here;
}

}  // namespace detail

template <class K, class A, class B>
class Product;

namespace detail {
/// The product of matrices of Dual elements; in autograd/linalg/dual.hpp.
template <class K, class A, class B, class T, class D>
void multiply_duals(const Product<K, A, B>& e, const Tensor<Dual<T>, D>& target);
}  // namespace detail

/// The matrix product of A and B as an expression. It is computed on its own, before whatever reads
/// it, and half types accumulate in float; what directly surrounds it (a bias, relu, gelu_tanh,
/// alpha
/// * p + beta * c) may become part of the same call (eval/product/epilogue.hpp).
template <class K, class A, class B>
class Product : public NodeMembers<Product<K, A, B>> {
 public:
  using value_type = typename A::value_type;
  using opaque_type = compute_t<value_type>;
  using device_type = detail::common_device_of<A, B>;
  static constexpr bool is_expression = true;
  static constexpr bool is_opaque = true;
  static constexpr bool is_value_of_operands = true;
  static constexpr const char* text = K::text;

  Product(A a, B b)
      : args_{static_cast<A&&>(a), {static_cast<B&&>(b), {}}},
        shape_(detail::product_shape(text, args_.head.shape(), args_.tail.head.shape())) {}

  using NodeMembers<Product>::shape;
  const Shape& shape() const { return shape_; }
  const A& left() const { return args_.head; }
  const B& right() const { return args_.tail.head; }
  const Pack<A, B>& args() const { return args_; }

  /// The number of terms in the sum that each element is.
  int64_t depth() const { return left().shape()[left().shape().rank() - 1]; }
  /// The number of real additions and multiplications.
  double operations() const {
    return (is_complex<value_type> ? 8. : 2.) * static_cast<double>(shape_.size()) *
           static_cast<double>(depth());
  }

  template <class T, class D>
  void evaluate(const Tensor<T, D>& target) const {
    using Loops = std::conditional_t<is_cuda<D>, Cuda, D>;
    if constexpr (is_dual<T>) {
      detail::multiply_duals(*this, target);
    } else if constexpr (detail::can_multiply<Loops>()) {
      Multiplier<Loops>::multiply(text, detail::value_on(left(), target.device()),
                                  detail::value_on(right(), target.device()), target);
    }
  }

 private:
  Pack<A, B> args_;
  detail::HeldShape shape_;
};

namespace detail {
/// The product K of a and b.
template <class K, class A, class B>
auto multiply(A&& a, B&& b) {
  using Check = OperandCheck<K, std::remove_cvref_t<A>, std::remove_cvref_t<B>>;
  constexpr bool numbers = NumberLike<A> || NumberLike<B>;
  static_assert(!numbers, "weft: a matrix product takes two tensors: write x * v for a number");
  if constexpr (!numbers && Check::report()) {
    using T = typename Check::element;
    return Product<K, operand_t<T, A>, operand_t<T, B>>(AsOperand<T, K>{}(static_cast<A&&>(a)),
                                                        AsOperand<T, K>{}(static_cast<B&&>(b)));
  } else {
    return typename Check::first{};
  }
}

/// A tensor unchanged; any other expression, evaluated.
template <ExpressionLike X>
auto as_tensor(X&& x) {
  if constexpr (TensorLike<X>) {
    return std::remove_cvref_t<X>(static_cast<X&&>(x));
  } else {
    return x.eval();
  }
}

WEFT_OUTLINED inline void check_ranks(const char* operation, const Shape& a, int rank_a,
                                      const Shape& b, int rank_b) {
  if (a.rank() != rank_a || b.rank() != rank_b) {
    fail<ShapeError>(operation, "shapes ", a, " and ", b, ", expected ranks ", rank_a, " and ",
                     rank_b, ": matmul(a, b) takes all others");
  }
}
}  // namespace detail

/// The matrix product over the last axis of a and the second to last of b, as in NumPy and PyTorch:
/// axes before these are batch axes and broadcast; a vector is a row on the left, a column on the
/// right, and that axis is dropped from the result. Both have one element type; half types
/// accumulate in float.
template <class A, class B>
  requires OperandsOrMistakes<A, B>
auto matmul(A&& a, B&& b) {
  return detail::multiply<product::matmul>(static_cast<A&&>(a), static_cast<B&&>(b));
}
/// More than two matrices: the error says what to write.
template <ExpressionLike A, ExpressionLike B, ExpressionLike C, class... More>
auto matmul(const A& a, const B&, const C&, const More&...) {
  static_assert(weft::detail::always_false<A>,
                "weft: matmul multiplies two: write matmul(matmul(a, b), c), or multi_dot(a, b, c) "
                "of <weft/linalg.hpp>, which chooses the cheapest order");
  return a;
}
/// matmul, for two matrices.
template <ExpressionLike A, ExpressionLike B>
auto mm(A&& a, B&& b) {
  detail::check_ranks("mm", a.shape(), 2, b.shape(), 2);
  return detail::multiply<product::mm>(static_cast<A&&>(a), static_cast<B&&>(b));
}
/// matmul, for two batches of matrices, (batch, m, k) and (batch, k, n).
template <ExpressionLike A, ExpressionLike B>
auto bmm(A&& a, B&& b) {
  detail::check_ranks("bmm", a.shape(), 3, b.shape(), 3);
  if (a.shape()[0] != b.shape()[0]) {
    fail<ShapeError>("bmm", "shapes ", a.shape(), " and ", b.shape(),
                     ", expected batches of equal size: matmul(a, b) broadcasts them");
  }
  return detail::multiply<product::bmm>(static_cast<A&&>(a), static_cast<B&&>(b));
}
/// A matrix times a vector.
template <ExpressionLike A, ExpressionLike B>
auto mv(A&& a, B&& b) {
  detail::check_ranks("mv", a.shape(), 2, b.shape(), 1);
  return detail::multiply<product::mv>(static_cast<A&&>(a), static_cast<B&&>(b));
}
/// The inner product of two vectors, without conjugating complex elements; a reduction, with both
/// expressions fused into it.
template <ExpressionLike A, ExpressionLike B>
auto dot(A&& a, B&& b) {
  detail::check_ranks("dot", a.shape(), 1, b.shape(), 1);
  if (!(a.shape() == b.shape())) {
    fail<ShapeError>("dot", "shapes ", a.shape(), " and ", b.shape(), ", expected equal lengths");
  }
  return sum(static_cast<A&&>(a) * static_cast<B&&>(b));
}
/// The outer product of vectors (n,) and (m,), of shape (n, m). It is element-wise, so it fuses;
/// operands that are expressions are evaluated right away.
template <ExpressionLike A, ExpressionLike B>
auto outer(A&& a, B&& b) {
  detail::check_ranks("outer", a.shape(), 1, b.shape(), 1);
  return detail::as_tensor(static_cast<A&&>(a)).reshape({-1, 1}) *
         detail::as_tensor(static_cast<B&&>(b)).reshape({1, -1});
}

/// matmul(x, weight.t()) for a weight of shape (out, in), like PyTorch's F.linear. A weight that is
/// an expression is evaluated right away.
template <ExpressionLike X, ExpressionLike W>
auto linear(X&& x, W&& weight) {
  if (weight.shape().rank() != 2) {
    fail<ShapeError>("linear", "a weight of shape ", weight.shape(), ", expected (out, in)");
  }
  return detail::multiply<product::linear>(static_cast<X&&>(x),
                                           detail::as_tensor(static_cast<W&&>(weight)).t());
}
/// matmul(x, weight.t()) + bias, for a bias of shape (out,).
template <ExpressionLike X, ExpressionLike W, ExpressionLike B>
auto linear(X&& x, W&& weight, B&& bias) {
  return linear(static_cast<X&&>(x), static_cast<W&&>(weight)) + static_cast<B&&>(bias);
}

WEFT_MODEL(OpaqueNode<Product<product::matmul, Tensor<float, Cpu>, Tensor<float, Cpu>>>);

}  // namespace weft
