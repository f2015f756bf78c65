// SPDX-License-Identifier: Apache-2.0
#include "weft/cuda/rows/looped_kernel.hpp"

#include "rows.hpp"

using test::apart;
using test::array;
using test::by_rows;
using test::noise;
using test::Row;
using weft::axis;
using weft::Cuda;
using weft::keepdims;
using weft::Shape;

TEST_CASE("wide states in every form of rows [gpu] [sanitize]") {
  const auto check = [](const auto& x, int along) {
    const auto e =
        var(x, axis(along), keepdims) + x * cast<double>(argmax(x, axis(along), keepdims));
    const auto expected = by_rows(array(x), 1U << along, [](const Row& v) {
      const auto first = static_cast<double>(std::max_element(v.begin(), v.end()) - v.begin());
      const auto n = static_cast<double>(v.size());
      const double variance = test::spread(v) * n / (n - 1);
      return test::each(v, [&](double w) { return variance + w * first; });
    });
    CHECK(apart(e, expected) < 1e-11);
  };
  for (const Shape& shape : {Shape{11, 6}, Shape{11, 90}, Shape{5, 1003}, Shape{2, 40001}}) {
    CAPTURE(weft::detail::text(shape));
    check(noise<double>(shape).on(Cuda{}), 1);
  }
  check(noise<double>({100, 45}).on(Cuda{}), 0);
  check(noise<double>({1001, 9}).on(Cuda{}).narrow(1, 1, 8), 0);
}

TEST_CASE("operands of 1, 2 and 4 bytes in one row [gpu] [sanitize]") {
  test::Random r(6);
  for (const std::int64_t n : {7, 129, 3001}) {
    CAPTURE(n);
    const auto a = r.array<std::int8_t>({3, n + 1});
    const auto h = noise<weft::half>({3, n});
    const auto x = a.on(Cuda{}).narrow(1, 1, n);
    const auto y = h.on(Cuda{});
    const auto e = cast<float>(x) - sum(cast<float>(x), axis(1), keepdims) + cast<float>(y) -
                   max(cast<float>(y), axis(1), keepdims);
    const auto expected =
        test::combine(by_rows(array(x), 2,
                              [](const Row& v) {
                                const double total = test::total(v);
                                return test::each(v, [&](double w) { return w - total; });
                              }),
                      by_rows(h, 2,
                              [](const Row& v) {
                                const double most = test::largest(v);
                                return test::each(v, [&](double w) { return w - most; });
                              }),
                      [](double p, double q) { return p + q; });
    CHECK(apart(e, expected) < 1e-5);
  }
}
