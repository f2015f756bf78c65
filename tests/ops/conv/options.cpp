#include "weft/ops/conv/options.hpp"

#include "test.hpp"

using namespace weft;

TEST_CASE("a number for each axis, or one for all") {
  const PerAxis all = 3;
  CHECK(all[0] == 3);
  CHECK(all[2] == 3);
  const PerAxis each = {1, 2};
  CHECK(each.count() == 2);
  CHECK(each[1] == 2);
  CHECK(PerAxis{5} == PerAxis(5));
  CHECK(Padding::same.keeps_size);
  CHECK(!Padding::valid.keeps_size);
  CHECK(Padding({1, 2}).each[1] == 2);
}

TEST_CASE("what is not a number for each axis says so") {
  CHECK_SAYS("[f] stride of 2 numbers, expected 1 or 3", check_axes("f", "stride", {1, 2}, 3, 1));
  CHECK_SAYS("[f] stride 0, expected at least 1", check_axes("f", "stride", {1, 0}, 2, 1));
}
