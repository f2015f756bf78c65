// SPDX-License-Identifier: Apache-2.0
#include <weft/core/error.hpp>

#include <string>

#include "test.hpp"

using namespace weft;

TEST_CASE("a message is the operation and its parts") {
  CHECK_THROWS_WITH_AS(fail("f", "a", 1, true, 2.5, -3L, 4UL, Shape{5}), "[f] a1true2.5-34(5,)",
                       Error);
  CHECK_THROWS_WITH_AS(fail<IndexError>("f", INT64_MIN, " ", UINT64_MAX),
                       "[f] -9223372036854775808 18446744073709551615", IndexError);
  CHECK_THROWS_WITH_AS(fail<DeviceError>("f", Cuda{2}, Dtype::int8), "[f] cuda:2int8", DeviceError);
}

TEST_CASE("numbers of every size are short") {
  CHECK(detail::text(1.0) == "1");
  CHECK(detail::text(-0.25) == "-0.25");
  CHECK(detail::text(1e300) == "1e+300");
  CHECK(detail::text(1e-8) == "1e-08");
  CHECK(detail::text(100.0) == "100");
}

TEST_CASE("what weft throws is caught as any of its bases") {
  CHECK_THROWS_AS(fail<ShapeError>("f"), Error);
  CHECK_THROWS_AS(fail<ValueError>("f"), Error);
  CHECK_THROWS_AS(fail<OutOfMemory>("f"), std::exception);
}
