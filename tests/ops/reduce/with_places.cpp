#include "weft/ops/reduce/with_places.hpp"

#include "test.hpp"

using namespace weft;

TEST_CASE_TEMPLATE("values and places", D, TEST_DEVICES) {
  const auto x = tensor({{3.F, 1.F, 2.F}, {4.F, 4.F, 5.F}}, D{});
  const auto [low, where_low] = min(x, axis(0));
  CHECK(low.to_vector() == std::vector<float>{3, 1, 2});
  CHECK(where_low.to_vector() == std::vector<std::int64_t>{0, 0, 0});
  auto [high, where_high] = max(x * 2, axis(1), keepdims);
  CHECK(high.shape() == Shape{2, 1});
  CHECK(high.to_vector() == std::vector<float>{6, 10});
  CHECK(where_high.to_vector() == std::vector<std::int64_t>{0, 2});
  high += 1;
  CHECK(high(0, 0).item() == 7);
}

TEST_CASE_TEMPLATE("as an expression it is the reduction", D, TEST_DEVICES) {
  const auto x = tensor({{3.F, 1.F, 2.F}, {4.F, 4.F, 5.F}}, D{});
  const auto e = max(x, axis(1), keepdims);
  CHECK((x - e)(0, 1).item() == -2);
  const Tensor y = e;
  CHECK(y.shape() == Shape{2, 1});
  CHECK(e.eval()(1, 0).item() == 5);
}
