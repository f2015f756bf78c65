// SPDX-License-Identifier: Apache-2.0
#include "weft/cuda/rows/reuse.hpp"

#include "rows.hpp"
#include "weft/cuda/reduce.hpp"

using test::apart;
using test::array;
using test::by_rows;
using test::noise;
using test::Row;
using weft::axis;
using weft::Cuda;
using weft::keepdims;
using weft::Tensor;
using weft::detail::Reuse;

namespace {
template <class E>
constexpr bool shares =
    Reuse<decltype(weft::detail::Rows<E>(std::declval<const E&>()).program)>::possible;

/// exp(x - max(x)) / (1 + sum(exp(z - max(z)))): of one pattern, and of one value where x is z.
template <class X, class Z>
auto quotient(const X& x, const Z& z) {
  return exp(x - max(x, axis(-1), keepdims)) /
         (1 + sum(exp(z - max(z, axis(-1), keepdims)), axis(-1), keepdims));
}

Row quotients(const Row& x, const Row& z) {
  const double most_x = test::largest(x);
  const double most_z = test::largest(z);
  double total = 1;
  for (double v : z) total += std::exp(v - most_z);
  return test::each(x, [&](double v) { return std::exp(v - most_x) / total; });
}
}  // namespace

TEST_CASE("what an output shares with the last reduction is found by type") {
  using X = Tensor<float, Cuda>;
  using Shared = decltype(quotient(std::declval<X>(), std::declval<X>()));
  static_assert(shares<Shared>);
  static_assert(!shares<decltype(log_softmax(std::declval<X>()))>);
  static_assert(!shares<decltype(normalize(std::declval<X>()))>);
  // A weight has the pattern of a converted operand, but not its value.
  using H = Tensor<weft::bfloat16, Cuda>;
  using Scaled = decltype(cast<float>(std::declval<H>()) *
                          rsqrt(var(cast<float>(std::declval<H>()), axis(-1), keepdims)) *
                          cast<float>(std::declval<H>()));
  static_assert(!shares<Scaled>);
}

TEST_CASE("a pattern is shared only where it has the same value [gpu] [sanitize]") {
  for (const std::int64_t n : {5, 64, 700, 5001, 40000}) {
    CAPTURE(n);
    const auto x = noise<float>({3, n});
    const auto z = noise<float>({3, n}, 2);
    const auto gx = x.on(Cuda{});
    const auto gz = z.on(Cuda{});
    const auto same = by_rows(x, 2, [](const Row& v) { return quotients(v, v); });
    CHECK(apart(quotient(gx, gx), same) < 1e-6);
    auto other = same;
    for (std::size_t row = 0; row < 3; ++row) {
      const auto begin = static_cast<std::ptrdiff_t>(row) * n;
      const Row a(x.values.begin() + begin, x.values.begin() + begin + n);
      const Row b(z.values.begin() + begin, z.values.begin() + begin + n);
      const Row expected = quotients(a, b);
      std::copy(expected.begin(), expected.end(), other.values.begin() + begin);
    }
    CHECK(apart(quotient(gx, gz), other) < 1e-6);
  }
}

TEST_CASE("the operand is still there where the output reads it again [gpu] [sanitize]") {
  for (const std::int64_t n : {64, 700, 8192}) {
    CAPTURE(n);
    const auto x = noise<float>({40, n});
    const auto gx = x.on(Cuda{});
    const auto expected = by_rows(x, 2, [](const Row& v) {
      Row out = quotients(v, v);
      for (std::size_t i = 0; i < v.size(); ++i) out[i] += v[i];
      return out;
    });
    CHECK(apart(quotient(gx, gx) + gx, expected) < 1e-6);
    const auto h = noise<weft::bfloat16>({40, n});
    const auto gh = h.on(Cuda{});
    CHECK(apart(softmax(gh), by_rows(h, 2, test::softmax)) < 1e-2);
  }
}

TEST_CASE("numbers are part of the value [gpu]") {
  const auto x = noise<float>({4, 300});
  const auto gx = x.on(Cuda{});
  const auto e = exp(gx * 2.F) / sum(exp(gx * 3.F), axis(-1), keepdims);
  CHECK(apart(e, by_rows(x, 2, [](const Row& v) {
                double total = 0;
                for (double w : v) total += std::exp(3 * w);
                return test::each(v, [&](double w) { return std::exp(2 * w) / total; });
              })) < 1e-5);
}
