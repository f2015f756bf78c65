// SPDX-License-Identifier: Apache-2.0
#include <weft/core/random/counts.hpp>
#include <weft/core/random/variates.hpp>

#include <cmath>

#include "test.hpp"

using namespace weft;

TEST_CASE("an element's bits are its own, block after block") {
  const Draw draw{3, 5};
  ElementBits one(draw, 7);
  ElementBits same(draw, 7);
  ElementBits next(draw, 8);
  for (int i = 0; i < 3; ++i) {
    const auto u = one.uniforms();
    CHECK(u.a > 0);
    CHECK(u.a < 1);
    CHECK(u.a != u.b);
    CHECK(u.a == same.uniforms().a);
    CHECK(u.a != next.uniforms().a);
  }
  const double x = one.normal();
  CHECK(x == same.normal());
  CHECK(x != one.normal());
}

TEST_CASE("extreme parameters come to an end, in what they allow") {
  const Draw draw{1, 2};
  for (long long i = 0; i < 200; ++i) {
    const ElementBits bits(draw, i);
    CHECK(variate::gamma::draw(bits, 1e-300, 1) >= 0);
    CHECK(variate::log_gamma::draw(bits, 1e-3) < 10);
    CHECK(std::fabs(variate::gamma::draw(bits, 1e12, 1) / 1e12 - 1) < 1e-5);
    const double b = variate::beta::draw(bits, 1e-5, 1e-5);
    CHECK((b >= 0 && b <= 1));
    const double far = variate::truncated_normal::draw(bits, 0, 1, 40, 41);
    CHECK((far >= 40 && far < 40.5));
    CHECK(variate::truncated_normal::draw(bits, 0, 1, 2, 2) == 2);
    CHECK(std::fabs(variate::von_mises::draw(bits, 3, 1e8)) <= 3.15);
    CHECK(std::fabs(variate::von_mises::draw(bits, 0, 1e-6)) <= 3.15);
    CHECK(variate::binomial::draw(bits, 0x1p52, 0.25) < 0x1p52);
    CHECK(variate::poisson::draw(bits, 1e15) > 9.9e14);
    CHECK(variate::geometric::draw(bits, 1e-12) >= 1);
  }
  CHECK_FALSE(variate::beta::accepts(1, std::nan("")));
  CHECK_FALSE(variate::truncated_normal::accepts(0, 1, 2, 1));
  CHECK_FALSE(variate::binomial::accepts(2.5, 0.5));
  CHECK_FALSE(variate::poisson::accepts(-1));
}
