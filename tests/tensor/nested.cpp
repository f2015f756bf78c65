#include "weft/tensor/nested.hpp"

#include "test.hpp"

using namespace weft;

TEST_CASE_TEMPLATE("vectors of vectors", D, TEST_DEVICES) {
  const std::vector<std::vector<float>> rows{{1, 2, 3}, {4, 5, 6}};
  const auto x = tensor(rows, D{});
  CHECK(x.shape() == Shape{2, 3});
  CHECK(x.to_vector() == std::vector<float>{1, 2, 3, 4, 5, 6});
  CHECK(tensor(std::vector<std::vector<std::vector<int>>>(2, {{1}, {2}})).shape() ==
        Shape{2, 2, 1});
  CHECK(tensor(std::vector<std::vector<double>>{}).shape() == Shape{0, 0});
  CHECK_SAYS("[tensor] containers of 1 and of 2 elements at the same depth",
             tensor(std::vector<std::vector<int>>{{1, 2}, {3}}));
  static_assert(std::is_same_v<decltype(tensor<double>(rows, D{})), Tensor<double, D>>);
  CHECK(tensor<double>(rows, D{}).to_vector() == std::vector<double>{1, 2, 3, 4, 5, 6});
}
