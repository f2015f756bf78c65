#include "weft/ops/shape/repeat.hpp"

#include "array.hpp"

using namespace weft;

TEST_CASE_TEMPLATE("copies side by side", D, TEST_DEVICES) {
  const Tensor x = tensor({{1, 2}, {3, 4}}, D{});
  CHECK(tile(x, {2}).to_vector() == std::vector<int>{1, 2, 1, 2, 3, 4, 3, 4});
  CHECK(tile(x, 2).shape() == Shape{2, 4});
  CHECK(tile(x, {2, 1}).to_vector() == std::vector<int>{1, 2, 3, 4, 1, 2, 3, 4});
  CHECK(tile(x, {2, 1, 1}).shape() == Shape{2, 2, 2});
  CHECK(tile(x, {2, 1, 1}).to_vector() == std::vector<int>{1, 2, 3, 4, 1, 2, 3, 4});
  CHECK(tile(x, {0}).shape() == Shape{2, 0});
  CHECK(repeat(x, {1, 2}).to_vector() == tile(x, {2}).to_vector());
  CHECK(Tensor(tile(x.t(), {1, 2}) * 2 + tensor({{1}, {2}}, D{})).to_vector() ==
        std::vector<int>{3, 7, 3, 7, 6, 10, 6, 10});
  CHECK_SAYS("[repeat] counts (2,) for shape (2, 2)", repeat(x, {2}));
  CHECK_SAYS("[tile] a count of -1", tile(x, {-1}));
}

TEST_CASE_TEMPLATE("each element again and again", D, TEST_DEVICES) {
  const Tensor x = tensor({{1, 2}, {3, 4}}, D{});
  CHECK(repeat_interleave(x, 2).to_vector() == std::vector<int>{1, 1, 2, 2, 3, 3, 4, 4});
  CHECK(repeat_interleave(x, 2, 0).to_vector() == std::vector<int>{1, 2, 1, 2, 3, 4, 3, 4});
  CHECK(repeat(x, 3, axis(-1)).shape() == Shape{2, 6});
  CHECK(repeat_interleave(x, tensor({2, 1}, D{}), axis(0)).to_vector() ==
        std::vector<int>{1, 2, 1, 2, 3, 4});
  CHECK(repeat_interleave(x, 0, 0).shape() == Shape{0, 2});
  CHECK_SAYS("counts of shape (3,)", repeat_interleave(x, tensor({2, 1, 1}, D{}), axis(0)));
  CHECK(equal(repeat_interleave(x, tensor({2, 0, 1, 1}, D{})),
              take(x, tensor<std::int64_t>({0, 0, 2, 3}, D{}))));
  CHECK_SAYS("a count of -2", repeat_interleave(x, tensor({2, -2}, D{}), axis(0)));
}
