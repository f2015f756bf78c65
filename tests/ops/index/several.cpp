#include "weft/ops/index/several.hpp"
#include <weft/ops/index/ravel.hpp>

#include "array.hpp"

using namespace weft;
using Ints = std::vector<std::int64_t>;

TEST_CASE_TEMPLATE("an index for each axis", D, TEST_DEVICES) {
  const Tensor x = arange<std::int64_t>(24).to(D{}).reshape(2, 3, 4);
  const Tensor i = tensor<std::int64_t>({1, 0, -1}, D{});
  const Tensor j = tensor<std::int64_t>({2, 0, 1}, D{});
  CHECK(Tensor(at_indices(x, i, j, 3)).to_vector() == Ints{23, 3, 19});
  CHECK(Tensor(at_indices(x, i, j) * 1).shape() == Shape{3, 4});
  CHECK(Tensor(at_indices(x.transpose(0, 2), j, j, i.unsqueeze(1) * 0)).shape() == Shape{3, 3});
  const Tensor pairs = tensor<std::int64_t>({{1, 2}, {0, 0}}, D{});
  CHECK(Tensor(gather_nd(x, pairs)).to_vector() == Ints{20, 21, 22, 23, 0, 1, 2, 3});
  CHECK(Tensor(gather_nd(x(weft::all, weft::all, 0), pairs)).to_vector() == Ints{20, 0});
  CHECK(ravel_multi_index(std::vector{i, j}, {2, 3}).to_vector() == Ints{5, 0, 4});
  const auto back = unravel_index(tensor<std::int64_t>({5, 0, 4}, D{}), {2, 3});
  CHECK(back[0].to_vector() == Ints{1, 0, 1});
  CHECK(back[1].to_vector() == Ints{2, 0, 1});
  const auto bad = [&](const auto& e) {
    const Tensor value = e();
    synchronize(D{});
  };
  CHECK_SAYS("[at_indices] index 2 is out of range",
             bad([&] { return at_indices(x, j, i).eval(); }));
  CHECK_SAYS("[ravel_multi_index] 1 indices for sizes (2, 3)",
             ravel_multi_index(std::vector{i}, {2, 3}));
  CHECK_SAYS("[at_indices] 4 indices for shape (2, 3, 4)", at_indices(x, i, j, j, j));
}

TEST_CASE_TEMPLATE("writes at an index for each axis", D, TEST_DEVICES) {
  const Tensor i = tensor<std::int64_t>({1, 0, 1}, D{});
  const Tensor j = tensor<std::int64_t>({2, 0, 2}, D{});
  const auto x = weft::zeros<float>({2, 3}, D{});
  index_put(x, std::vector{i, j}, 5);
  CHECK(x.to_vector() == std::vector<float>{5, 0, 0, 0, 0, 5});
  index_put_add(x.t(), std::vector{j, i}, tensor({1.0F, 2.0F, 3.0F}, D{}));
  CHECK(x.to_vector() == std::vector<float>{7, 0, 0, 0, 0, 9});
  index_put(x, {i(slice(0, 1)), j(slice(0, 1))}, 1);
  CHECK(x(1, 2).item() == 1);
  CHECK(ravel_multi_index({i, j}, {2, 3}).to_vector() == std::vector<std::int64_t>{5, 0, 5});
  const auto y = weft::zeros<float>({3, 2}, D{});
  scatter_nd(y, tensor<std::int64_t>({{2}, {0}}, D{}), tensor({{1.0F, 2.0F}, {3.0F, 4.0F}}, D{}));
  CHECK(y.to_vector() == std::vector<float>{3, 4, 0, 0, 1, 2});
  scatter_nd_add(y, tensor<std::int64_t>({{2}, {2}}, D{}), 1);
  CHECK(y.to_vector() == std::vector<float>{3, 4, 0, 0, 3, 4});
}

TEST_CASE("the coordinates of one position") {
  CHECK(unravel_index(5, {2, 3}) == Ints{1, 2});
  CHECK(unravel_index(-1, {2, 3}) == Ints{1, 2});
  CHECK(unravel_index(0, {}) == Ints{});
  CHECK_SAYS("[unravel_index] index 6, expected -6 to 5", unravel_index(6, {2, 3}));
}
