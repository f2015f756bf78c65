// SPDX-License-Identifier: Apache-2.0
#include <weft/core/expression.hpp>

#include "test.hpp"

using namespace weft;

using X = Tensor<float>;
using Sum = decltype(std::declval<X>() + std::declval<X>());
using Total = decltype(sum(std::declval<X>()));

static_assert(Expression<X> && Expression<Tensor<const weft::half, Cuda>> && Expression<Sum>);
static_assert(Expression<Total> && Expression<Positions> && Expression<Scalar<int>>);
static_assert(!Expression<float> && !Expression<X&> && !Expression<std::vector<float>>);
static_assert(ExpressionLike<const X&> && ExpressionLike<Sum&&> && !ExpressionLike<int&>);
static_assert(TensorLike<X> && TensorLike<const Tensor<const int, Cuda>&> && !TensorLike<Sum>);
static_assert(NumberLike<const int&> && !NumberLike<X> && !NumberLike<const char*>);
static_assert(OperandsOf<X, int> && OperandsOf<double, const X&> && OperandsOf<Sum, X, float>);
static_assert(!OperandsOf<int, float> && !OperandsOf<X, const char*> && !OperandsOf<X, X*>);

TEST_CASE("expressions know their type and shape before they run") {
  const auto x = ones({2, 3});
  const auto e = sum(x * 2 + ones({3}), axis(0));
  static_assert(std::is_same_v<decltype(e)::value_type, float>);
  CHECK(e.shape() == Shape{3});
  CHECK(e.rank() == 1);
  CHECK(e.size() == 3);
}
