// SPDX-License-Identifier: Apache-2.0
#include <weft/eval/program/settings.hpp>

#include <cstdlib>

#include "test.hpp"

namespace {
/// Turns WEFT_CHECK on for a scope.
struct Checked {
  bool before = weft::detail::check_flag();
  Checked() { weft::detail::check_flag() = true; }
  ~Checked() { weft::detail::check_flag() = before; }
};
}  // namespace

TEST_CASE("a flag is set by anything but nothing and 0") {
  using weft::detail::environment_flag;
  CHECK_FALSE(environment_flag("WEFT_TEST_FLAG"));
  for (const char* value : {"1", "yes", "01", "00"}) {
    setenv("WEFT_TEST_FLAG", value, 1);
    CHECK(environment_flag("WEFT_TEST_FLAG"));
  }
  for (const char* value : {"", "0"}) {
    setenv("WEFT_TEST_FLAG", value, 1);
    CHECK_FALSE(environment_flag("WEFT_TEST_FLAG"));
  }
  unsetenv("WEFT_TEST_FLAG");
}

TEST_CASE_TEMPLATE("WEFT_CHECK finds operands written since", D, TEST_DEVICES) {
  const Checked checked;
  auto x = weft::ones({2, 3}, D{});
  const auto e = sum(x(0) * 2) + 1;
  CHECK(e.item() == 7);
  x(1).fill(5);
  CHECK_THROWS_WITH_AS(e.eval(),
                       "[evaluate] a tensor of shape (3,) was written after the expression that "
                       "reads it was built",
                       weft::ValueError);
  const auto again = x + 1;
  CHECK(again.eval()(1, 0).item() == 6);
  x += 1;
  CHECK_THROWS_AS(x.assign(again), weft::ValueError);
  CHECK(x(0, 0).item() == 2);
  weft::detail::check_flag() = false;
  CHECK(again.eval()(0, 0).item() == 3);
}

TEST_CASE_TEMPLATE("WEFT_CHECK lets correct programs run", D, TEST_DEVICES) {
  const Checked checked;
  auto x = weft::ones({4}, D{});
  for (int i = 0; i < 3; ++i) x = x * 2 + x;
  for (int i = 0; i < 3; ++i) x += x.flip(0);
  CHECK(x(0).item() == 27 * 8);
  const auto same = weft::cast<float>(x);
  x += 1;
  CHECK(same.clone()(0).item() == 217);
  same += 1;
  same += 1;
  CHECK(x(0).item() == 219);
  const auto e = x + 1;
  x = x * 0;
  CHECK(e.eval()(0).item() == 220);
}
