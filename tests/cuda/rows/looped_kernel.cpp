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

TEST_CASE("rows of two dimensions, whatever the innermost is [gpu] [sanitize]") {
  const auto check = []<class T>(const weft::Tensor<T, Cuda>& x, double bound) {
    const auto axes = axis(0, 2);
    const auto last = cast<T>(argmax(x, axes, keepdims));
    const auto e = (x - mean(x, axes, keepdims)) * rsqrt(var(x, axes, keepdims)) + last;
    const auto expected = by_rows(array(x), 5, [](const Row& v) {
      const auto first = static_cast<double>(std::max_element(v.begin(), v.end()) - v.begin());
      const auto n = static_cast<double>(v.size());
      const double scale = 1 / std::sqrt(test::spread(v) * n / (n - 1));
      const double mean = test::total(v) / n;
      return test::each(v, [&](double w) { return (w - mean) * scale + first; });
    });
    CHECK(apart(e, expected) < bound);
  };
  for (const Shape& shape :
       {Shape{9, 3, 3}, Shape{700, 2, 3}, Shape{37, 3, 49}, Shape{2900, 2, 49}, Shape{5, 2, 784},
        Shape{40, 3, 196}, Shape{3, 2, 3025}, Shape{33, 1, 5000}, Shape{2, 40, 48}}) {
    CAPTURE(weft::detail::text(shape));
    check(noise<double>(shape).on(Cuda{}), 1e-10);
    check(noise<float>(shape).on(Cuda{}), 2e-4);
  }
  check(noise<double>({37, 3, 51}).on(Cuda{}).narrow(2, 1, 49), 1e-10);
  check(noise<double>({49, 3, 37}).on(Cuda{}).transpose(0, 2), 1e-10);
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
