#include "weft/ops/views.hpp"

#include "test.hpp"

using namespace weft;

TEST_CASE_TEMPLATE("free forms are the members", D, TEST_DEVICES) {
  const auto x = arange<int>(6, D{}).reshape(2, 3);
  CHECK(reshape(x, {3, 2}).data() == x.data());
  CHECK(permute(x, {1, 0}).shape() == Shape{3, 2});
  CHECK(transpose(x)(2, 1).item() == 5);
  CHECK(transpose(x, 0, 1)(2, 1).item() == 5);
  CHECK(x.transpose().data() == x.data());
  CHECK(x.transpose()(2, 1).item() == 5);
  CHECK((x + x).transpose()(2, 1).item() == 10);
  CHECK(expand(x(0), {4, 3}).shape() == Shape{4, 3});
  CHECK(flatten(x + x)(5).item() == 10);
  CHECK(squeeze(unsqueeze(x, 0)).shape() == Shape{2, 3});
  CHECK(squeeze(unsqueeze(x, 0), 0).shape() == Shape{2, 3});
  CHECK(flip(x, 0)(0, 0).item() == 3);
  CHECK(diagonal(x)(1).item() == 4);
  CHECK(narrow(x, 1, 1, 2).shape() == Shape{2, 2});
  CHECK(split(x, 2, 1)[1].shape() == Shape{2, 1});
  CHECK(chunk(x, 2)[1](0, 0).item() == 3);
  CHECK(clone(x).data() != x.data());
  CHECK(numel(x * 2) == 6);
}
