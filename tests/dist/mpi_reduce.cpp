#include "weft/dist/mpi_reduce.hpp"

#include <limits>

#include "test.hpp"

using namespace weft;
using Op = dist::Reduce;

namespace {
template <class T>
T reduced(Op op, T a, T b) {
  int n = 1;
  dist::mpi_function(op, dtype_of<T>)(&a, &b, &n, nullptr);
  return b;
}
}  // namespace

TEST_CASE("elements are reduced as weft's own are") {
  CHECK(reduced(Op::sum, 2.0F, 3.0F) == 5);
  CHECK(reduced(Op::average, 2.0F, 3.0F) == 5);
  CHECK(reduced(Op::product, weft::half(2), weft::half(3)) == weft::half(6));
  CHECK(reduced(Op::maximum, std::int8_t{-3}, std::int8_t{-5}) == -3);
  CHECK(reduced(Op::minimum, std::uint64_t{3}, std::uint64_t{1} << 63) == 3);
  CHECK(reduced(Op::sum, std::numeric_limits<int>::max(), 1) == std::numeric_limits<int>::min());
  CHECK(reduced(Op::product, std::int16_t{-200}, std::int16_t{300}) ==
        static_cast<std::int16_t>(-60000 + 65536));
  CHECK(reduced(Op::product, std::uint16_t{65535}, std::uint16_t{65535}) == 1);
  CHECK(reduced(Op::sum, true, false));
  CHECK(!reduced(Op::product, true, false));
  CHECK(reduced(Op::sum, complex<float>(1, 2), complex<float>(3, 4)) == complex<float>(4, 6));
  const float nan = std::numeric_limits<float>::quiet_NaN();
  for (const Op op : {Op::minimum, Op::maximum}) {
    const float left = reduced(op, nan, 1.0F);
    const float right = reduced(op, 1.0F, nan);
    CHECK(left != left);
    CHECK(right != right);
  }
  const bool ordered = dist::mpi_function(Op::minimum, Dtype::complex64) != nullptr;
  CHECK(!ordered);
}
