// SPDX-License-Identifier: Apache-2.0
#include <weft/cpu/elementwise/staged.hpp>

#include "array.hpp"
#include "weft/weft.hpp"

using namespace weft;
using cpu::Elements;
using cpu::detail::is_staged;

static_assert(is_staged<Pack<Arg<1, weft::half>>, Pack<Elements<weft::half>>, Pack<float*>>);
static_assert(is_staged<Pack<Arg<1, float>>, Pack<Elements<float>>, Pack<weft::half*>>);
static_assert(!is_staged<Pack<Arg<1, bfloat16>>, Pack<Elements<bfloat16>>, Pack<bfloat16*>>);

TEST_CASE("halves through blocks are what they are one by one") {
  for (std::int64_t n : {1, 7, 8, 511, 512, 513, 1500}) {
    const Tensor<weft::half> x = cast<weft::half>(arange<float>(n) * 0.37F - 100);
    const Tensor<weft::half> y = cast<weft::half>(arange<float>(n) * 0.01F + 1);
    Tensor<weft::half> z = x * y + x;
    Tensor<weft::half> v = zeros<weft::half>({n});
    Tensor<float> w = zeros<float>({n});
    tie(v, w) = fuse(x - y, cast<float>(x) / cast<float>(y));
    Tensor<weft::half> own = x.clone();
    own = own * 2.0F + own;  // in place
    std::int64_t wrong = 0;
    for (std::int64_t i = 0; i < n; ++i) {
      const float a = x.data()[i];
      const float b = y.data()[i];
      wrong += z.data()[i].bits != weft::half(a * b + a).bits;
      wrong += v.data()[i].bits != weft::half(a - b).bits;
      wrong += w.data()[i] != a / b;
      wrong += own.data()[i].bits != weft::half(a * 2 + a).bits;
    }
    CHECK(wrong == 0);
  }
}

TEST_CASE("a row program of halves reads each operand it uses, and only those") {
  const Tensor<weft::half> x =
      cast<weft::half>(sin(arange<float>(6 * 600))).eval().reshape({6, 600});
  const Tensor<weft::half> b = cast<weft::half>(cos(arange<float>(600)));
  const auto z = cast<float>((x - mean(x, axis(1), keepdims)) * b).eval();
  for (std::int64_t r = 0; r < 6; ++r) {
    double sum = 0;
    for (std::int64_t i = 0; i < 600; ++i) sum += static_cast<float>(x.data()[r * 600 + i]);
    for (std::int64_t i = 0; i < 600; ++i) {
      const double expected =
          (static_cast<float>(x.data()[r * 600 + i]) - sum / 600) * static_cast<float>(b.data()[i]);
      REQUIRE(z(r, i).item() == doctest::Approx(expected).epsilon(2e-3));
    }
  }
}
