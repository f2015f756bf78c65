// SPDX-License-Identifier: Apache-2.0
#include <weft/ops/elementwise/generate.hpp>

#include <cmath>

#include "test.hpp"

using weft::arange;
using weft::linspace;
using weft::Shape;

namespace test_generate {
struct Collatz {
  using result_type = std::int64_t;
  static constexpr const char* text = "collatz";
  WEFT_HD std::int64_t value(long long i) const { return i % 2 == 0 ? i / 2 : 3 * i + 1; }
};
}  // namespace test_generate

TEST_CASE_TEMPLATE("arange", D, TEST_DEVICES) {
  CHECK(arange<int>(5, D{}).to_vector() == std::vector<int>{0, 1, 2, 3, 4});
  CHECK(arange<int>(2, 9, 3, D{}).to_vector() == std::vector<int>{2, 5, 8});
  CHECK(arange<int>(2, 8, 3, D{}).to_vector() == std::vector<int>{2, 5});
  CHECK(arange<std::int8_t>(3, -4, -3, D{}).to_vector() == std::vector<std::int8_t>{3, 0, -3});
  CHECK(arange<std::uint8_t>(250, 255, 2, D{}).to_vector() ==
        std::vector<std::uint8_t>{250, 252, 254});
  CHECK(arange<int>(3, 3, 1, D{}).shape() == Shape{0});
  CHECK(arange<int>(0, 5, -1, D{}).shape() == Shape{0});
  CHECK(arange<float>(0, 1, 0.25F, D{}).to_vector() == std::vector<float>{0, 0.25F, 0.5F, 0.75F});
  CHECK(arange<double>(1, 0, -0.3, D{}).size() == 4);
  CHECK(arange<float>(0, 1.1, .1, D{}).size() == 11);  // 12 if 1.1F / .1F counted
  CHECK(arange<float>(0, 1.1, .1, D{})(10).item() == 1.0F);
  CHECK(arange<weft::half>(0, 0.3, .1, D{}).size() == 3);
  CHECK(arange<weft::half>(3, D{}).to_vector() ==
        std::vector<weft::half>{weft::half(0), weft::half(1), weft::half(2)});
  const auto x = arange<std::int64_t>(INT64_MAX - 2, INT64_MAX, 1, D{});
  CHECK(x.to_vector() == std::vector<std::int64_t>{INT64_MAX - 2, INT64_MAX - 1});
  const auto big = arange<float>(100000, D{});
  CHECK(big(99999).item() == 99999);
  CHECK(sum(cast<double>(big)).item() == 99999.0 * 50000);
}

TEST_CASE_TEMPLATE("arange whose type is given after all", D, TEST_DEVICES) {
  const weft::Tensor<double, D> roots = sqrt(weft::cast<double>(weft::arange(3, D{})));
  CHECK(roots.to_vector() == std::vector<double>{0, 1, std::sqrt(2.0)});
  CHECK((+roots).to_vector() == roots.to_vector());
}

TEST_CASE("arange that cannot be") {
  CHECK_THROWS_WITH_AS(arange<int>(0, 5, 0), "[arange] step 0, expected a nonzero number",
                       weft::ValueError);
  CHECK_THROWS_WITH_AS(arange<float>(0, 5, NAN), "[arange] step nan, expected a nonzero number",
                       weft::ValueError);
  CHECK_THROWS_WITH_AS(arange<double>(0, INFINITY, 2),
                       "[arange] from 0 to inf by 2, expected fewer than 2^63 elements",
                       weft::ValueError);
  CHECK_THROWS_AS(arange<std::int64_t>(INT64_MIN, INT64_MAX, 1), weft::ValueError);
}

TEST_CASE_TEMPLATE("linspace has both ends", D, TEST_DEVICES) {
  CHECK(linspace(0, 1, 5, D{}).to_vector() == std::vector<float>{0, 0.25F, 0.5F, 0.75F, 1});
  CHECK(linspace(3, 3, 1, D{}).to_vector() == std::vector<float>{3});
  CHECK(linspace(3, 9, 1, D{}).to_vector() == std::vector<float>{3});
  CHECK(linspace(3, 9, 0, D{}).shape() == Shape{0});
  for (std::int64_t n : {2, 3, 7, 1000}) {
    const auto x = linspace<double>(0.1, -0.7, n, D{}).to_vector();
    CHECK(x.front() == 0.1);
    CHECK(x.back() == -0.7);
    for (std::size_t i = 1; i < x.size(); ++i) {
      CHECK(x[i] - x[i - 1] == doctest::Approx(-0.8 / static_cast<double>(n - 1)));
    }
  }
  CHECK_SAYS("[linspace] shape (-1,), expected sizes of at least 0", linspace(0, 1, -1, D{}));
}

TEST_CASE_TEMPLATE("eye", D, TEST_DEVICES) {
  CHECK(weft::eye(2, D{}).to_vector() == std::vector<float>{1, 0, 0, 1});
  CHECK(weft::eye<int>(2, 3, D{}).to_vector() == std::vector<int>{1, 0, 0, 0, 1, 0});
  CHECK(weft::eye<bool>(3, 2, D{}).to_vector() ==
        std::vector<bool>{true, false, false, true, false, false});
  CHECK(weft::eye(0, D{}).shape() == Shape{0, 0});
}

TEST_CASE_TEMPLATE("elements from positions take part in expressions", D, TEST_DEVICES) {
  const auto positions = weft::generated({3, 2}, test_generate::Collatz{});
  const auto x = weft::tensor<std::int64_t>({{10}, {20}, {30}}, D{});
  CHECK((positions + x).eval().to_vector() == std::vector<std::int64_t>{10, 14, 21, 30, 32, 46});
  CHECK((positions + x).eval().device() == x.device());
  weft::Tensor<std::int64_t, D> z = weft::zeros<std::int64_t>({2, 3}, D{});
  z.t().assign(positions);
  CHECK(z.to_vector() == std::vector<std::int64_t>{0, 1, 2, 4, 10, 16});
  z.flip(1)(0) = weft::generated({3}, test_generate::Collatz{});
  CHECK(z(0).to_vector() == std::vector<std::int64_t>{1, 4, 0});
  CHECK(sum(positions + x * 0, weft::axis(0)).eval().to_vector() ==
        std::vector<std::int64_t>{3, 30});
  CHECK(argmax(positions * (x * 0 + 1)).item() == 5);
}
