#include "weft/ops/elementwise/single.hpp"

#include "test.hpp"

using namespace weft;

TEST_CASE("which expressions have rank 0 by their type") {
  const Tensor<float> x = ones({3});
  static_assert(std::is_convertible_v<decltype(sum(x)), float>);
  static_assert(std::is_convertible_v<decltype(2 * sum(x) + max(x)), double>);
  static_assert(detail::is_single<decltype(sqrt(sum(x)))>);
  static_assert(!detail::is_single<decltype(sum(x, axis(0)))>);
  static_assert(!detail::is_single<decltype(sum(x, keepdims))>);
  static_assert(!detail::is_single<decltype(x + sum(x))>);
}

TEST_CASE_TEMPLATE("conversion evaluates, each time", D, TEST_DEVICES) {
  const auto x = ones({4}, D{});
  const auto e = sum(x) * 2;
  CHECK(static_cast<float>(e) == 8);
  x.fill(2);
  CHECK(static_cast<float>(e) == 16);
  const float of_half = sum(ones<weft::half>({4}, D{}));
  CHECK(of_half == 4);
  const std::int64_t count = count_nonzero(x);
  CHECK(count == 4);
}

TEST_CASE_TEMPLATE("inside an expression it is the node", D, TEST_DEVICES) {
  const auto x = ones({4}, D{});
  const Tensor y = x / sum(x);
  CHECK(y(0).item() == 0.25F);
  Tensor z = sum(x);
  z = sum(x) + 1;
  CHECK(z.rank() == 0);
  CHECK(z.item() == 5);
  y.assign(sum(x));
  CHECK(y(3).item() == 4);
  y(0) = max(x);
  CHECK(y(0).item() == 1);
  const auto [a, b] = fuse(sum(x), max(x));
  CHECK(a.item() + b.item() == 5);
}
