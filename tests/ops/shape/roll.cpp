#include "weft/ops/shape/roll.hpp"

#include "array.hpp"

using namespace weft;

TEST_CASE_TEMPLATE("elements move round", D, TEST_DEVICES) {
  const Tensor x = arange<float>(6).to(D{}).reshape(2, 3);
  CHECK(roll(x, 1, axis(1)).to_vector() == std::vector<float>{2, 0, 1, 5, 3, 4});
  CHECK(roll(x, -1, 0).to_vector() == std::vector<float>{3, 4, 5, 0, 1, 2});
  CHECK(roll(x, 7, -1).to_vector() == std::vector<float>{2, 0, 1, 5, 3, 4});
  CHECK(roll(x, {1, 1}, axis(0, 1)).to_vector() == std::vector<float>{5, 3, 4, 2, 0, 1});
  CHECK(roll(x, {1, 2}, axis(1, 1)).to_vector() == x.to_vector());
  CHECK(roll(x, 2).to_vector() == std::vector<float>{4, 5, 0, 1, 2, 3});
  CHECK(Tensor(x.t() - roll(x.t(), 1, 0)).to_vector() == std::vector<float>{-2, -2, 1, 1, 1, 1});
  Tensor y = x.clone();
  y = y - roll(y, 1, 1);  // reads what it writes
  CHECK(y.to_vector() == std::vector<float>{-2, 1, 1, -2, 1, 1});
  CHECK(Tensor(sum(roll(x, 1, 1) * x, axis(1))).to_vector() == std::vector<float>{2, 47});
  CHECK(roll(x(1, 1), 3, 0).item() == 4);
  CHECK(roll(weft::zeros<float>({0, 3}, D{}), 1, 0).shape() == Shape{0, 3});
  CHECK_SAYS("[roll] shifts (1, 2) for axes (0,)", roll(x, {1, 2}, axis(0)));
  CHECK_SAYS("[roll] axis 2 of a tensor of rank 2", roll(x, 1, 2));
}

TEST_CASE_TEMPLATE("elements move out", D, TEST_DEVICES) {
  const Tensor x = arange<float>(6).to(D{}).reshape(2, 3);
  CHECK(shift(x, 1).to_vector() == std::vector<float>{0, 0, 1, 0, 3, 4});
  CHECK(shift(x, -2, axis(1), 9).to_vector() == std::vector<float>{2, 9, 9, 5, 9, 9});
  CHECK(shift(x, 5, 0, -1.0).to_vector() == std::vector<float>(6, -1));
}

TEST_CASE("a wide axis and a border of a column are written as elsewhere") {
  const auto x = arange<float>(4096).reshape(8, 8, 8, 8);
  const Tensor y = roll(x, {3, -2, 1}, axis(0, 2, 3));
  bool same = true;
  test::each_index(x.shape(), [&](const test::Index& i) {
    same = same && y.at(i[0], i[1], i[2], i[3]) ==
                       x.at((i[0] + 5) % 8, i[1], (i[2] + 2) % 8, (i[3] + 7) % 8);
  });
  CHECK(same);
}
