#include "weft/ops/shape/triangle.hpp"

#include <weft/ops/shape/diagonal.hpp>
#include "array.hpp"

using namespace weft;
using Ints = std::vector<std::int64_t>;
using Floats = std::vector<float>;

TEST_CASE_TEMPLATE("triangles", D, TEST_DEVICES) {
  const Tensor x = arange<float>(1, 7).to(D{}).reshape(2, 3);
  CHECK(tril(x).eval().to_vector() == Floats{1, 0, 0, 4, 5, 0});
  CHECK(tril(x, 1).eval().to_vector() == Floats{1, 2, 0, 4, 5, 6});
  CHECK(triu(x).eval().to_vector() == Floats{1, 2, 3, 0, 5, 6});
  CHECK(Tensor(triu(x * 2.0F, 1) + tril(x, -1)).to_vector() == Floats{0, 4, 6, 4, 0, 12});
  CHECK(tril(x.t()).eval().to_vector() == Floats{1, 0, 2, 5, 3, 6});
  CHECK(Tensor(sum(triu(x.expand({2, 2, 3})), axis(0, 2))).to_vector() == Floats{12, 22});
  CHECK(tri<int>(2, 3, 1, D{}).to_vector() == std::vector<int>{1, 1, 0, 1, 1, 1});
  CHECK(eye<int>(3, 2, -1, D{}).to_vector() == std::vector<int>{0, 0, 1, 0, 0, 1});
  CHECK(identity<int>(2, D{}).to_vector() == std::vector<int>{1, 0, 0, 1});
  CHECK(tril_indices(2, 3, 0, D{}).to_vector() == Ints{0, 1, 1, 0, 0, 1});
  CHECK(triu_indices(2, 3, 1, D{}).to_vector() == Ints{0, 0, 1, 1, 2, 2});
  CHECK(tril_indices(2, 2, -5).shape() == Shape{2, 0});
  CHECK_SAYS("[tril] shape (3,), expected at least 2 axes", tril(x(0)));
}

TEST_CASE_TEMPLATE("each element knows where it stands", D, TEST_DEVICES) {
  const Tensor x = arange<float>(1, 7).to(D{}).reshape(2, 3);
  CHECK(index_along(Shape{2, 2}, 0).eval().to_vector() == Ints{0, 0, 1, 1});
  CHECK(Tensor(where(index_along(x, axis(1)) < 2, x, 0.0F)).to_vector() ==
        Floats{1, 2, 0, 4, 5, 0});
  CHECK(Tensor(x * cast<float>(index_along(x, axis(-2)))).to_vector() == Floats{0, 0, 0, 4, 5, 6});
}

TEST_CASE_TEMPLATE("diagonals", D, TEST_DEVICES) {
  const Tensor v = tensor({1.0F, 2.0F}, D{});
  CHECK(diag_embed(v).eval().to_vector() == Floats{1, 0, 0, 2});
  CHECK(diag_embed(v, 1).eval().to_vector() == Floats{0, 1, 0, 0, 0, 2, 0, 0, 0});
  CHECK(diag_embed(v, -1).eval().to_vector() == Floats{0, 0, 0, 1, 0, 0, 0, 2, 0});
  CHECK(diag_embed(v.expand({3, 2}), 1, 0, -1).shape() == Shape{3, 3, 3});
  CHECK(diag(v, 1).shape() == Shape{3, 3});
  CHECK(diag(diag(v, 1), 1).to_vector() == v.to_vector());
  CHECK(diagflat(v.expand({2, 2})).shape() == Shape{4, 4});
  const Tensor m = tensor({{3.0F, 4.0F, 5.0F}}, D{});
  CHECK(block_diag(diag(v), m, v(0)).eval().to_vector() ==
        Floats{1, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 3, 4, 5, 0, 0, 0, 0, 0, 0, 1});
  CHECK_SAYS("[diag] shape (1, 2, 2)", diag(v.expand({1, 2, 2})));
}

TEST_CASE("triangles of square matrices") {
  CHECK(tril_indices(3).to_vector() == tril_indices(3, 3).to_vector());
  CHECK(triu_indices(3).to_vector() == triu_indices(3, 3).to_vector());
}
