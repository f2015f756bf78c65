#include "weft/ops/shape/axes.hpp"

#include "array.hpp"

using namespace weft;
using Ints = std::vector<std::int64_t>;

TEST_CASE_TEMPLATE("axes in another order", D, TEST_DEVICES) {
  const Tensor x = arange<std::int64_t>(24).to(D{}).reshape(2, 3, 4);
  CHECK(movedim(x, 0, 2).shape() == Shape{3, 4, 2});
  CHECK(moveaxis(x, {0, 1}, {-1, 0}).shape() == Shape{3, 4, 2});
  CHECK(movedim(x, 2, 0).strides() == Strides{1, 12, 4});
  CHECK(swapaxes(x, 0, -1).shape() == Shape{4, 3, 2});
  CHECK(swapdims(x, 0, 1).shape() == Shape{3, 2, 4});
  CHECK(flatten(x, 1).shape() == Shape{2, 12});
  CHECK(flatten(x, 0, 1).shape() == Shape{6, 4});
  CHECK(ravel(x).shape() == Shape{24});
  CHECK(unflatten(x, -1, {2, -1}).shape() == Shape{2, 3, 2, 2});
  CHECK(squeeze(x.unsqueeze(0).unsqueeze(2), axis(0, 2)).shape() == Shape{2, 3, 4});
  CHECK(expand_dims(x, 1).shape() == Shape{2, 1, 3, 4});
  CHECK(broadcast_to(x(0), {5, 3, 4}).shape() == Shape{5, 3, 4});
  CHECK_SAYS("[movedim] axes (0, 1) to (0,)", movedim(x, {0, 1}, Axes{0}));
  CHECK_SAYS("[movedim] axis -3 appears twice in (0, -3)", movedim(x, {0, -3}, {0, 1}));
  CHECK_SAYS("[flatten] axes 2 to 0 of (2, 3, 4), expected ascending axes", flatten(x, 2, 0));
  CHECK_SAYS("[unflatten] shape (4,) of 4 elements cannot become (3, -1)",
             unflatten(x, 2, {3, -1}));
}

TEST_CASE_TEMPLATE("turned and reversed", D, TEST_DEVICES) {
  const Tensor x = arange<std::int64_t>(6).to(D{}).reshape(2, 3);
  CHECK(flip(x).to_vector() == Ints{5, 4, 3, 2, 1, 0});
  CHECK(flip(x, axis(0, 1)).to_vector() == flip(x).to_vector());
  CHECK(flip(x, 1).to_vector() == fliplr(x).to_vector());
  CHECK(flipud(x).to_vector() == Ints{3, 4, 5, 0, 1, 2});
  CHECK(rot90(x).to_vector() == Ints{2, 5, 1, 4, 0, 3});
  CHECK(rot90(x, 2).to_vector() == flip(x).to_vector());
  CHECK(rot90(x, -1).to_vector() == Ints{3, 0, 4, 1, 5, 2});
  CHECK(rot90(x, 5, {1, 0}).to_vector() == rot90(x, -1).to_vector());
  CHECK(rot90(x, 4).shape() == Shape{2, 3});
  CHECK_SAYS("[flip] axis 0 appears twice", flip(x, axis(0, 0)));
  CHECK_SAYS("[rot90] axes (0,), expected two axes", rot90(x, 1, {0}));
  CHECK_SAYS("[fliplr] shape (3,)", fliplr(x(0)));
}

TEST_CASE("at least so many axes") {
  const Tensor x = arange<std::int64_t>(6).reshape(2, 3);
  CHECK(atleast_1d(x(0, 0)).shape() == Shape{1});
  CHECK(atleast_2d(x(0)).shape() == Shape{1, 3});
  CHECK(atleast_3d(x).shape() == Shape{2, 3, 1});
  CHECK(atleast_3d(x(0)).shape() == Shape{1, 3, 1});
  CHECK(flatten(x(0, 0), 0).shape() == Shape{1});
  CHECK(flip(x(0, 0), axis(0)).item() == 0);
  CHECK(flip(x(0, 1), -1).item() == 1);
  CHECK(x(0, 1).squeeze(0).rank() == 0);
}
