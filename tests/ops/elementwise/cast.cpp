// SPDX-License-Identifier: Apache-2.0
#include <weft/ops/elementwise/cast.hpp>

#include <cmath>

#include "test.hpp"

using weft::cast;

namespace test_cast {
struct Affine {
  float scale;
  WEFT_HD float operator()(float x, float y) const { return scale * x + y; }
};
struct Mixed {
  WEFT_HD double operator()(int i, double x) const { return i * x; }
};
struct IsEven {
  WEFT_HD bool operator()(std::int64_t i) const { return i % 2 == 0; }
};
}  // namespace test_cast

TEST_CASE_TEMPLATE("float to integer saturates", D, TEST_DEVICES) {
  const auto x = weft::tensor({1.9F, -1.9F, 300.F, -300.F, NAN, INFINITY, -INFINITY}, D{});
  CHECK(cast<std::int8_t>(x).eval().to_vector() ==
        std::vector<std::int8_t>{1, -1, 127, -128, 0, 127, -128});
  CHECK(cast<std::uint8_t>(x).eval().to_vector() ==
        std::vector<std::uint8_t>{1, 0, 255, 0, 0, 255, 0});
  CHECK(cast<std::int64_t>(x * 1e30).eval().to_vector() ==
        std::vector<std::int64_t>{INT64_MAX, INT64_MIN, INT64_MAX, INT64_MIN, 0, INT64_MAX,
                                  INT64_MIN});
  CHECK(cast<bool>(x - 1.9F).eval().to_vector() ==
        std::vector<bool>{false, true, true, true, true, true, true});
}

TEST_CASE_TEMPLATE("between the other types", D, TEST_DEVICES) {
  const auto i = weft::tensor({-1, 0, 257, 1 << 30}, D{});
  CHECK(cast<std::uint8_t>(i).eval().to_vector() == std::vector<std::uint8_t>{255, 0, 1, 0});
  CHECK(cast<bool>(i).eval().to_vector() == std::vector<bool>{true, false, true, true});
  CHECK(cast<double>(i).eval().to_vector() == std::vector<double>{-1, 0, 257, 1 << 30});
  CHECK(cast<weft::complex<float>>(i).eval()(2).item() == weft::complex<float>(257, 0));
  CHECK(cast<weft::bfloat16>(i).eval()(2).item() == 256);
  CHECK(std::isinf(cast<weft::half>(i).eval()(3).item()));
  CHECK(cast<int>(i > 0).eval().to_vector() == std::vector<int>{0, 0, 1, 1});
}

TEST_CASE_TEMPLATE("bools and comparisons to every floating type", D, TEST_DEVICES) {
  const auto check = [](auto zero) {
    using T = decltype(zero);
    for (std::int64_t n : {1, 7, 37, 1029}) {  // whole vectors and what is left of them
      const auto i = weft::arange(n, D{});
      const auto m = eval(i % 3 == 1);
      const auto x = eval(cast<T>(i % 5));
      const auto from_bool = cast<T>(m).eval().to_vector();
      const auto compared = cast<T>(x > T(2) && !m).eval().to_vector();
      const auto product = (x * cast<T>(m)).eval().to_vector();
      for (std::int64_t k = 0; k < n; ++k) {
        const auto at = static_cast<std::size_t>(k);
        const float one = k % 3 == 1 ? 1 : 0;
        CHECK(static_cast<float>(from_bool[at]) == one);
        CHECK(static_cast<float>(compared[at]) == (k % 5 > 2 && k % 3 != 1 ? 1 : 0));
        CHECK(static_cast<float>(product[at]) == one * static_cast<float>(k % 5));
      }
    }
  };
  check(float{});
  check(double{});
  check(weft::half{});
  check(weft::bfloat16{});
}

TEST_CASE_TEMPLATE("a cast rounds where it stands", D, TEST_DEVICES) {
  const auto x = weft::full({1}, 2049.F, D{});
  CHECK((cast<float>(cast<weft::half>(x)) - 2048).item() == 0);
  CHECK((cast<weft::half>(x) - 2048).item() == 0);
  const auto h = weft::ones<weft::half>({1}, D{});
  CHECK(cast<float>(h / 3).item() == 1.F / 3);
}

TEST_CASE_TEMPLATE("a cast to the same type is the tensor", D, TEST_DEVICES) {
  const auto x = weft::ones({2}, D{});
  CHECK(cast<float>(x).data() == x.data());
  const weft::Tensor<const float, D> read = x;
  static_assert(std::is_same_v<decltype(cast<float>(read)), weft::Tensor<const float, D>>);
}

TEST_CASE_TEMPLATE("a function object of the user's", D, TEST_DEVICES) {
  const auto x = weft::tensor({1.F, 2.F, 3.F}, D{});
  CHECK((weft::map(test_cast::Affine{10}, x, x(0)) * 2).eval().to_vector() ==
        std::vector<float>{22, 42, 62});
  CHECK(weft::map(test_cast::Affine{2}, x.flip(0), 1).eval().to_vector() ==
        std::vector<float>{7, 5, 3});
  const auto i = weft::tensor({{1}, {2}}, D{});
  const auto mixed = weft::map(test_cast::Mixed{}, i, cast<double>(x));
  static_assert(std::is_same_v<typename decltype(mixed)::value_type, double>);
  CHECK(mixed.eval().to_vector() == std::vector<double>{1, 2, 3, 2, 4, 6});
  CHECK(sum(weft::map(test_cast::IsEven{}, cast<std::int64_t>(i))).item() == 1);
}
