// SPDX-License-Identifier: Apache-2.0
#include <weft/core/small.hpp>

#include "test.hpp"

using weft::Small;

namespace {
constexpr Small<float, 2, 3> a{1, 2, 3, 4, 5, 6};
constexpr Small<float, 3, 2> b{7, 8, 9, 10, 11, 12};
static_assert(a * b == Small<float, 2, 2>{58, 64, 139, 154});
static_assert(a * Small<float, 3>{1, 0, -1} == Small<float, 2>{-2, -2});
static_assert(a + a == 2 * a && a - a == Small<float, 2, 3>::zeros() && -a == a * -1);
static_assert((a + a) / 2 == a && !(a == 2 * a));
static_assert(Small<double, 2, 2>::identity() == Small<double, 2, 2>{1, 0, 0, 1});
static_assert(a(1, 0) == 4 && a[3] == 4 && Small<float, 3>::full(2)[2] == 2);

static_assert(sizeof(Small<float, 3, 3>) == 36 && alignof(Small<float, 3, 3>) == 4);
static_assert(alignof(Small<float, 2>) == 8 && alignof(Small<float, 3, 4>) == 16);
static_assert(alignof(Small<double, 3>) == 8 && alignof(Small<double, 4, 4>) == 16);

static_assert(weft::Element<Small<float, 3, 3>> && !weft::is_floating<Small<float, 3>>);
static_assert(weft::dtype_of<Small<float, 3>> == weft::Dtype::small);
static_assert(std::is_same_v<weft::compute_t<Small<float, 3>>, Small<float, 3>>);
}  // namespace

TEST_CASE("numbers are changed in place") {
  Small<double, 2> x{1, 2};
  x += Small<double, 2>{3, 3};
  x *= 2;
  x -= Small<double, 2>::full(4);
  x /= 2;
  x[1] += 10;
  x(0, 0) = -x[0];
  CHECK(x == Small<double, 2>{-2, 13});
}

TEST_CASE("what counts bytes by dtypes takes numbers") {
  CHECK_SAYS("write components(x)", weft::element_size(weft::dtype_of<Small<float, 3>>));
  CHECK(weft::text(weft::Dtype::small) == doctest::String("small"));
}
