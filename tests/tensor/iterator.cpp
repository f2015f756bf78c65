#include "weft/tensor/iterator.hpp"

#include "test.hpp"

TEST_CASE("rows are views, elements are numbers") {
  weft::Tensor<float> x = weft::arange<float>(6).reshape({3, 2});
  int n = 0;
  for (auto&& row : x) {
    CHECK(row.shape() == weft::Shape{2});
    CHECK(row.data() == x.data() + 2 * n++);
    row.assign(row * 10);
  }
  CHECK(n == 3);
  CHECK(x.to_vector() == std::vector<float>{0, 10, 20, 30, 40, 50});
  for (auto&& row : x) row = weft::zeros({2});  // rebinds the handle, x is untouched
  CHECK(x.at(2, 1) == 50);
  float sum = 0;
  for (float v : x.flatten()) sum += v;
  CHECK(sum == 150);
  for (auto&& row : weft::zeros({0, 3})) FAIL(row.size());
  CHECK_SAYS("rank 0", weft::ones({}).begin());
}

static_assert(std::forward_iterator<weft::RowIterator<weft::Tensor<float>>>);
