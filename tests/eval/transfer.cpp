// SPDX-License-Identifier: Apache-2.0
#include <weft/eval/transfer.hpp>

#include "array.hpp"

TEST_CASE_TEMPLATE("to a device and back", D, TEST_DEVICES) {
  test::Random r(1);
  for (int n = 0; n < 30; ++n) {
    weft::Shape shape = r.shape(3, 6);
    shape.push_back(r.between(1, 50));
    auto a = r.array<std::int16_t>(shape);
    auto x = a.on(weft::Cpu{});
    r.vary(x, a);
    auto y = x.to(D{});
    static_assert(std::is_same_v<typename decltype(y)::device_type, D>);
    r.vary(y, a);
    CHECK(test::same(y, a));
    CHECK(y.to(weft::Cpu{}).to_vector() == a.values);
  }
}

TEST_CASE_TEMPLATE("to where it is gives the tensor itself", D, TEST_DEVICES) {
  const auto x = weft::ones({3}, D{});
  CHECK(x.to(D{}).data() == x.data());
  CHECK(x.to(x.device()).data() == x.data());
  const auto e = x + 1;
  CHECK(e.eval().to(D{}).to_vector() == std::vector<float>(3, 2));
}

TEST_CASE_TEMPLATE("nothing and almost nothing", D, TEST_DEVICES) {
  CHECK(weft::zeros({0, 5}).to(D{}).shape() == weft::Shape{0, 5});
  CHECK(weft::zeros({0, 5}, D{}).to(weft::Cpu{}).to_vector().empty());
  CHECK(weft::Tensor<float>().to(D{}).size() == 0);
  CHECK(weft::full({}, 3.5).to(D{}).item() == 3.5);
}

TEST_CASE_TEMPLATE("every element type", D, TEST_DEVICES) {
  const auto survive = [](auto... values) {
    return (... && (weft::full({3}, values).to(D{}).to(weft::Cpu{})(2).item() == values));
  };
  CHECK(survive(true, std::int8_t{-7}, std::int16_t{-300}, std::int32_t{1 << 20},
                std::int64_t{1} << 40, std::uint8_t{200}, std::uint16_t{60000},
                std::uint32_t{1} << 31, UINT64_MAX, weft::half(1.5F), weft::bfloat16(-2.5F), 0.1F,
                0.1, weft::complex<float>(1, -2), weft::complex<double>(0.1, 2)));
}
