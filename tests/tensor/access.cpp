// SPDX-License-Identifier: Apache-2.0
#include <weft/tensor/access.hpp>

#include "test.hpp"

using weft::detail::Access;

TEST_CASE_TEMPLATE("new storage has room for the shape", D, TEST_DEVICES) {
  const auto x = Access::allocate<double, D>({2, 3}, D{});
  CHECK(x.storage()->bytes == 48);
  CHECK(x.storage()->data == x.data());
  CHECK(x.is_contiguous());
  CHECK(Access::allocate<double, D>({0}, D{}).size() == 0);
}

TEST_CASE_TEMPLATE("sizes that cannot be", D, TEST_DEVICES) {
  const std::int64_t big = std::int64_t{1} << 31;
  CHECK_THROWS_WITH_AS(weft::empty({2, -1}, D{}),
                       "[empty] shape (2, -1), expected sizes of at least 0", weft::ShapeError);
  CHECK_THROWS_WITH_AS(weft::empty({big, big}, D{}),
                       "[empty] the bytes of shape (2147483648, 2147483648) do not fit in 63 bits",
                       weft::OutOfMemory);
  CHECK_THROWS_AS(weft::empty({big, big, big}, D{}), weft::ShapeError);
}

TEST_CASE_TEMPLATE("an operand remembers the version", D, TEST_DEVICES) {
  const auto x = weft::ones({2}, D{});
  const auto operand = Access::operand(x);
  CHECK(Access::is_current(operand));
  CHECK(Access::is_current(operand(0)));
  x += 1;
  CHECK(Access::is_current(x));
  CHECK_FALSE(Access::is_current(operand));
  CHECK_FALSE(Access::is_current(operand(0)));
  CHECK(Access::is_current(Access::operand(operand)));
  CHECK(Access::is_current(Access::operand(weft::Tensor<float, D>())));
}

TEST_CASE("handles to constant elements are read through") {
  const float values[] = {1, 2};
  const weft::Tensor<const float> x = weft::borrow(values, {2});
  CHECK(Access::unconst(x).data() == values);
  CHECK(Access::storage(x).owners() == 1);
}
