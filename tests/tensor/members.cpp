#include "weft/tensor/members.hpp"

#include "test.hpp"

using namespace weft;

// Which members there are is in tests/spellings.cpp.

TEST_CASE_TEMPLATE("views of an expression share its value, not its operands", D, TEST_DEVICES) {
  const auto x = ones({2, 3}, D{});
  const auto e = x * 2;
  const auto view = e(0, all);
  x.fill(5);
  CHECK(view(1).item() == 2);
  CHECK(e(0, 1).item() == 10);
}

TEST_CASE_TEMPLATE("sizes as numbers", D, TEST_DEVICES) {
  const auto x = arange<int>(12, D{});
  CHECK(x.reshape(3, -1).shape() == Shape{3, 4});
  CHECK(x.reshape(int64_t{3}, 4).data() == x.data());
  CHECK((x + 1).reshape(2, 6).shape() == Shape{2, 6});
  CHECK_SAYS("[reshape] shape (12,) of 12 elements cannot become (5,)", x.reshape(5));
  CHECK_SAYS("[permute]", x.permute(1, 0));
}

TEST_CASE_TEMPLATE("bad indices of an expression", D, TEST_DEVICES) {
  const auto x = ones({2, 3}, D{});
  CHECK_SAYS("[index] index 2 at axis 0 of shape (2, 3)", (x + x)(2));
  CHECK_SAYS("[item] a tensor of shape (2, 3), expected one element", (x + x).item());
}
