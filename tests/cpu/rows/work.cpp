// SPDX-License-Identifier: Apache-2.0
#include <weft/cpu/rows/work.hpp>

#include "rows.hpp"
#include "weft/explain.hpp"
#include "weft/ops/shape/triangle.hpp"
#include "weft/weft.hpp"

using test::apart;
using test::array;
using test::by_rows;
using test::noise;
using test::Row;
using weft::axis;
using weft::keepdims;

namespace {
/// exp(x) / sum(exp(x)) + beside: the exponentials are kept for the second half.
Row shares(const Row& x, double beside) {
  double total = 0;
  for (double v : x) total += std::exp(v);
  return test::each(x, [&](double v) { return std::exp(v) / total + beside; });
}
}  // namespace

TEST_CASE("what is reduced is kept for the output, in rows of every length") {
  // Whole rows many at once, long ones in runs, and ones too long to be kept.
  for (const std::int64_t n : {1, 2, 31, 32, 33, 500, 2047, 2048, 2049, 5000, 33000}) {
    CAPTURE(n);
    const auto x = noise<float>({70, n}).on(weft::Cpu{});
    const auto shared = by_rows(array(x), 2, [](const Row& v) { return shares(v, 0); });
    CHECK(apart(exp(x) / sum(exp(x), axis(-1), keepdims), shared) < 1e-5);
    const auto y = x.clone();  // equal, and yet another operand
    CHECK(apart(exp(y) / sum(exp(x), axis(-1), keepdims), shared) < 1e-5);
    const auto [a, b] = weft::fuse(exp(x) / sum(exp(x), axis(-1), keepdims), exp(x) + 1.F);
    CHECK(apart(a, shared) < 1e-5);
    CHECK(apart(b, by_rows(array(x), 2, [](const Row& v) {
                  return test::each(v, [](double e) { return std::exp(e) + 1; });
                })) < 1e-5);
  }
}

TEST_CASE("numbers that differ are not shared") {
  const auto x = noise<float>({40, 300}).on(weft::Cpu{});
  const auto scaled = [&](float a, float b) {
    return (exp(a * x) / sum(exp(b * x), axis(-1), keepdims)).eval();
  };
  const auto expected = [&](double a, double b) {
    return by_rows(array(x), 2, [=](const Row& v) {
      double total = 0;
      for (double e : v) total += std::exp(b * e);
      return test::each(v, [&](double e) { return std::exp(a * e) / total; });
    });
  };
  CHECK(apart(scaled(0.5F, 0.5F), expected(0.5, 0.5)) < 1e-5);
  CHECK(apart(scaled(0.5F, 0.25F), expected(0.5, 0.25)) < 1e-5);
}

TEST_CASE("rows with gaps, turned rows and rows of two axes, in place too") {
  const auto base = noise<float>({9, 40, 50}).on(weft::Cpu{});
  for (const auto& x : {base(weft::all, weft::all, weft::slice(3, 40)),
                        base(weft::all, weft::slice(0, weft::none, 3), weft::all),
                        base.transpose(1, 2), base.flip(0), base.flip(2)}) {
    const auto expected = by_rows(array(x), 4, test::softmax);
    CHECK(apart(softmax(x), expected) < 1e-5);
    const auto copy = base.clone();
    const auto same = copy.transpose(0, 1);
    same.assign(softmax(same));
    CHECK(apart(same, by_rows(array(base.transpose(0, 1).eval()), 4, test::softmax)) < 1e-5);
  }
  const auto two = by_rows(array(base), 6, test::softmax);
  CHECK(apart(softmax(base, axis(1, 2)), two) < 1e-5);
}

TEST_CASE("columns of weights and of values beside the rows") {
  for (const std::int64_t n : {7, 64, 700, 3000}) {
    const auto x = noise<float>({33, n}).on(weft::Cpu{});
    const auto weight = noise<float>({n}, 3).on(weft::Cpu{});
    const auto scale = noise<float>({33, 1}, 4).on(weft::Cpu{});
    const auto c = x * scale - mean(x * scale, axis(-1), keepdims);
    const auto z = (c * rsqrt(mean(square(c), axis(-1), keepdims) + 1e-5F) * weight).eval();
    double worst = 0;
    for (std::int64_t i = 0; i < 33; ++i) {
      double mean = 0;
      double squares = 0;
      const double s = scale.at(i, 0);
      for (std::int64_t j = 0; j < n; ++j) mean += s * x.at(i, j) / static_cast<double>(n);
      for (std::int64_t j = 0; j < n; ++j) {
        const double d = s * x.at(i, j) - mean;
        squares += d * d / static_cast<double>(n);
      }
      for (std::int64_t j = 0; j < n; ++j) {
        const double right = (s * x.at(i, j) - mean) / std::sqrt(squares + 1e-5) * weight.at(j);
        worst = std::max(worst, std::abs(z.at(i, j) - right));
      }
    }
    CHECK(worst < 1e-5);
  }
}

TEST_CASE("columns without elements, several at once") {
  const auto x = weft::zeros({2, 0, 4});
  const weft::Tensor z = exp(sum(x, axis(1), weft::keepdims)) * 3.0F;
  CHECK(z.to_vector() == std::vector<float>(8, 3));
}

TEST_CASE("long columns: each reduction side by side, then the elements") {
  using weft::axis;
  for (const std::int64_t n : {300, 2100}) {
    const auto x = noise<float>({n, 40}).on(weft::Cpu{});
    const auto w = noise<float>({40}, 3).on(weft::Cpu{});
    const auto turned = x.t().contiguous();  // the same as rows
    const auto c = x * w - mean(x * w, axis(0));
    const auto r = turned * w.unsqueeze(1) - mean(turned * w.unsqueeze(1), axis(1), keepdims);
    const weft::Tensor rows = r * rsqrt(mean(square(r), axis(1), keepdims) + 1e-5F);
    CHECK(allclose(weft::Tensor<float>(c * rsqrt(mean(square(c), axis(0)) + 1e-5F)).t(), rows,
                   {1e-5, 1e-5}));
    CHECK(explain(x - mean(x, axis(0), keepdims)).kernels.size() == 2);
    CHECK(allclose(x - mean(x, axis(0), keepdims),
                   (turned - mean(turned, axis(1), keepdims)).eval().t(), {1e-5, 1e-6}));
    CHECK(allclose(softmax(x, axis(0)), softmax(turned, axis(1)).eval().t(), {1e-5, 1e-7}));
    CHECK(allclose(max(x, axis(0)) + w, max(turned, axis(1)) + w));
    CHECK(equal(argmax(x, axis(0)) + 1, argmax(turned, axis(1)) + 1));
    const weft::Tensor h = cast<weft::half>(x);
    CHECK(allclose(cast<float>(h - mean(h, axis(0))),
                   cast<float>(h.t() - mean(h.t().contiguous(), axis(1), keepdims)).eval().t(),
                   {1e-3, 1e-3}));
    const auto [m, v] = weft::fuse(mean(x, axis(0)), var(x, axis(0)) + w);
    CHECK(allclose(m, mean(turned, axis(1)), {1e-5, 1e-6}));
    CHECK(allclose(v, var(turned, axis(1)) + w, {1e-5, 1e-6}));
    const auto deep = noise<float>({3, n, 2, 20}).on(weft::Cpu{});  // two axes of columns, a batch
    CHECK(allclose(sum(deep * w(weft::slice(0, 20)), axis(1)) * 2.F,
                   sum((deep * w(weft::slice(0, 20))).eval().transpose(1, 3).contiguous(), axis(-1))
                           .eval()
                           .permute({0, 2, 1}) *
                       2.F,
                   {1e-4, 1e-4}));
    // Positions, and a reduction's value that varies across columns.
    const auto i = weft::index_along(x.shape(), axis(0));
    CHECK(equal(weft::Tensor<std::int64_t>(max(where(x > mean(x, axis(0)), i, i * 0), axis(0)) + 1),
                max(where(turned > mean(turned, axis(1), keepdims),
                          weft::index_along(turned.shape(), axis(1)), 0),
                    axis(1)) +
                    1));
  }
  const auto small = noise<float>({30, 40}).on(weft::Cpu{});
  CHECK(explain(small - mean(small, axis(0), keepdims)).kernels.size() == 1);
}
