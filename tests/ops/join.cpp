#include "weft/ops/join.hpp"

#include "array.hpp"
#ifdef __CUDACC__
#include "cuda/graph_nodes.hpp"
#endif

using namespace weft;

TEST_CASE_TEMPLATE("parts one after the other", D, TEST_DEVICES) {
  const Tensor a = tensor({{1, 2}, {3, 4}}, D{});
  const Tensor b = tensor({{5}, {6}}, D{});
  CHECK(cat(std::vector{a, b}, axis(1)).to_vector() == std::vector<int>{1, 2, 5, 3, 4, 6});
  CHECK(cat(std::vector{a, a.t()}, axis(0)).to_vector() ==
        std::vector<int>{1, 2, 3, 4, 1, 3, 2, 4});
  CHECK(cat(std::vector{a}, axis(-1)).to_vector() == a.to_vector());
  const Tensor both = stack(std::vector{a, Tensor<int, D>(a + 10)}, axis(1));
  CHECK(both.shape() == Shape{2, 2, 2});
  CHECK(both.to_vector() == std::vector<int>{1, 2, 11, 12, 3, 4, 13, 14});
  CHECK(stack(std::vector{b}, axis(-1)).shape() == Shape{2, 1, 1});
  CHECK(cat(a, a + 10).to_vector() == std::vector<int>{1, 2, 3, 4, 11, 12, 13, 14});
  CHECK(stack(a, a, a + 1).shape() == Shape{3, 2, 2});
  CHECK_SAYS("[cat] shapes (2, 2) and (2, 1), expected equal sizes except along axis 0",
             cat(std::vector{a, b}, axis(0)));
  CHECK_SAYS("no tensors", cat(std::vector<Tensor<int, D>>{}, axis(0)));
  CHECK_SAYS("no tensors", stack(std::vector<Tensor<int, D>>{}, axis(0)));
}
