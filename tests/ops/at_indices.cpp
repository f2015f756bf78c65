#include "weft/ops/at_indices.hpp"

#include "test.hpp"
#ifdef __CUDACC__
#include "weft/cuda/algorithms.hpp"
#endif

using namespace weft;

namespace {
template <class D>
Tensor<float, D> counted(D device) {
  return arange<float>(12, device).reshape(3, 4);
}
}  // namespace

TEST_CASE_TEMPLATE("a mask of all axes", D, TEST_DEVICES) {
  const auto x = counted(D{});
  const auto even = [](const auto& y) { return y == 2 * floor(y / 2); };
  CHECK(x[even(x)].to_vector() == std::vector<float>{0, 2, 4, 6, 8, 10});
  x[x > 8] = -1;
  CHECK(x(2).to_vector() == std::vector<float>{8, -1, -1, -1});
  x[x < 0] = tensor({1.F, 2.F, 3.F}, D{});
  CHECK(x(2).to_vector() == std::vector<float>{8, 1, 2, 3});
  x[x > 6] = x[x > 6] * 10;
  CHECK(x(1).to_vector() == std::vector<float>{4, 5, 6, 70});
  x[x > 6] -= tensor({1.F, 2.F}, D{});
  CHECK(x(1, 3).item() == 69);
  CHECK(x(2, 0).item() == 78);
  CHECK(x[x > 100].shape() == Shape{0});
  x[x > 100] = 5;
}

TEST_CASE_TEMPLATE("a mask of no axes", D, TEST_DEVICES) {
  const auto yes = weft::full<bool>({}, true, D{});
  const auto x = weft::full<float>({}, 3.0F, D{});
  x[yes] += x[yes];
  CHECK(x.item() == 6);
  x[!yes] += x[!yes];
  CHECK(x.item() == 6);
  const Tensor row = tensor({1.0F, 2.0F}, D{});
  row[yes] = row[yes] * 2.0F;
  CHECK(row.to_vector() == std::vector<float>{2, 4});
}

TEST_CASE_TEMPLATE("a mask of the first axes", D, TEST_DEVICES) {
  const auto x = counted(D{});
  const auto mask = tensor({true, false, true}, D{});
  CHECK(x[mask].shape() == Shape{2, 4});
  CHECK(x[mask](1, 0).item() == 8);
  x[mask] = tensor({1.F, 2.F, 3.F, 4.F}, D{});  // for each row
  CHECK(x(2).to_vector() == std::vector<float>{1, 2, 3, 4});
  x[mask] = tensor({{1.F}, {2.F}}, D{});  // one number for each row
  CHECK(x(0, 3).item() == 1);
  CHECK(x(2, 3).item() == 2);
  CHECK(x(1, 3).item() == 7);
}

TEST_CASE_TEMPLATE("views are written through", D, TEST_DEVICES) {
  const auto x = counted(D{});
  const auto y = x.t();  // (4, 3)
  y[y > 9] = 0;
  CHECK(sum(x).item() == 45);
  y[y > 7] = tensor({1.F, 2.F}, D{});
  CHECK(x(2, 0).item() == 1);
  CHECK(x(2, 1).item() == 2);
}

TEST_CASE_TEMPLATE("indices", D, TEST_DEVICES) {
  const auto x = counted(D{});
  const auto rows = tensor<std::int64_t>({2, 0, -1}, D{});
  CHECK(x[rows].shape() == Shape{3, 4});
  CHECK((x(rows) * 2)(2, 0).item() == 16);
  CHECK(x[rows.reshape({3, 1})].shape() == Shape{3, 1, 4});
  x[rows(slice(0, 2))] = x(1);
  CHECK(x(0).to_vector() == std::vector<float>{4, 5, 6, 7});
  x[rows] += 1;  // twice named, written once
  CHECK(x(2).to_vector() == std::vector<float>{5, 6, 7, 8});
  CHECK((x * 2)[rows](0, 0).item() == 10);
}

TEST_CASE_TEMPLATE("what does not fit", D, TEST_DEVICES) {
  const auto x = counted(D{});
  CHECK_SAYS("[index] a mask of shape (4,) for (3, 4), expected the same sizes from the left",
             x[x(0) > 0]);
  CHECK_SAYS("[index] values of shape (3, 4) for chosen elements of shape (6,)", x[x > 5] = x);
  CHECK_SAYS("[index] values of shape (2,) for chosen elements of shape (6,)",
             x[x > 5] = tensor({1.F, 2.F}, D{}));
}
