// SPDX-License-Identifier: Apache-2.0
#include <weft/core/random/counts.hpp>
#include <weft/core/random/float_gamma.hpp>
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
    CHECK(variate::draw_float_gamma(bits, 1e-30F, 1) >= 0);
    CHECK(variate::draw_float_gamma(bits, 127, 1) > 50);
    const double good = variate::hypergeometric::draw(bits, 0x1p31, 0x1p31, 0x1p31);
    CHECK(std::fabs(good - 0x1p30) < 1e6);
    CHECK(variate::hypergeometric::draw(bits, 7, 0, 3) == 3);
    CHECK(variate::log_series::draw(bits, 1 - 1e-12) >= 1);
    const double rank = variate::zipf::draw(bits, 1 + 1e-15);
    CHECK((rank >= 1 && rank < 0x1p63));
    const double time = variate::wald::draw(bits, 1e100, 1e-100);
    CHECK(time >= 0);
  }
  CHECK_FALSE(variate::beta::accepts(1, std::nan("")));
  CHECK_FALSE(variate::truncated_normal::accepts(0, 1, 2, 1));
  CHECK_FALSE(variate::binomial::accepts(2.5, 0.5));
  CHECK_FALSE(variate::poisson::accepts(-1));
}

TEST_CASE("logarithms and normal numbers in float are right to their last digits") {
  for (std::uint32_t i = 0; i < 20000; ++i) {
    const std::uint32_t word = i * 214013U + 7U;
    const float u = static_cast<float>(word) * 0x1p-32F;
    const double exact = std::log(static_cast<double>(u));
    CHECK(std::fabs(math::log_positive_float(u) - exact) <= 2e-7 * std::fabs(exact));
    const double turns = static_cast<double>(word) * 0x1p-32;
    const double normal = std::sqrt(std::log(4.)) * std::cos(2 * 3.14159265358979323846 * turns);
    CHECK(std::fabs(math::normal_float(1U << 31, word) - normal) < 3e-7);
  }
  CHECK(math::normal_float(0xFFFFFFFFU, 0) == 0);
  CHECK(math::normal_float(0, 0) == doctest::Approx(6.764).epsilon(1e-3));
}

TEST_CASE("the word that rounds to a uniform number of 1 gives numbers like others") {
  const Draw draw{1, 2};
  const long long boosts = 3647491;
  const long long accepts = 7501678;
  CHECK(ElementBits(draw, boosts).block().d >= 0xFFFFFF00U);
  CHECK(ElementBits(draw, accepts).block().c >= 0xFFFFFF00U);
  for (const long long i : {boosts, accepts}) {
    for (const float shape : {1e-30F, 0.5F, 3.F, 100.F}) {
      const float x = variate::draw_float_gamma(ElementBits(draw, i), shape, 1);
      CHECK((x >= 0 && x < 3 + 2 * shape));
    }
  }
}
