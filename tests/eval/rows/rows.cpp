// SPDX-License-Identifier: Apache-2.0
#include <weft/eval/rows/rows.hpp>

#include "rows.hpp"

using test::apart;
using test::array;
using test::Array;
using test::by_rows;
using test::each;
using test::in_double;
using test::Index;
using test::noise;
using test::Row;
using weft::axis;
using weft::keepdims;
using weft::Shape;
using weft::slice;
using weft::Tensor;
using weft::where;

namespace {

// As a user writes them; softmax and its like are in ops/compose.
template <class X>
auto spread(const X& x, const weft::Axes& axes) {
  return mean(square(x - mean(x, axes, keepdims)), axes);
}
template <class X>
auto softmin(const X& x, const weft::Axes& axes) {
  const auto e = exp(min(x, axes, keepdims) - x);
  return e / sum(e, axes, keepdims);
}
Row softmin_of(const Row& row) {
  return test::softmax(each(row, [](double v) { return -v; }));
}

/// The values without the axes that a reduction kept as 1.
Array<double> dropped(const Array<double>& a, unsigned mask) {
  Array<double> out{{}, a.values};
  for (int d = 0; d < a.shape.rank(); ++d) {
    if ((mask >> d & 1U) == 0) out.shape.push_back(a.shape[d]);
  }
  return out;
}

template <class D>
void check_rows(const Tensor<float, D>& x) {
  const auto a = test::array(x);
  CHECK(apart(softmin(x, axis(-1)), by_rows(a, 2, softmin_of)) < 2e-5);
  CHECK(apart(spread(x, axis(-1)),
              dropped(by_rows(a, 2, [](const Row& r) { return Row{test::spread(r)}; }), 2)) < 2e-5);
}

}  // namespace

TEST_CASE_TEMPLATE("rows of every length", D, TEST_DEVICES) {
  for (const std::int64_t n : {1, 2, 3, 5, 8, 31, 64, 127, 255, 256, 257, 1000, 1023, 4096, 8191}) {
    for (const std::int64_t rows : {1, 3, 40}) {
      CAPTURE(n);
      CAPTURE(rows);
      const auto x = noise<float>({rows, n}).on(D{});
      check_rows(x);
      if (rows == 3) {
        const auto wide = noise<float>({rows, n + 5}, 2).on(D{});
        check_rows(wide.narrow(1, 1, n));
        check_rows(wide.narrow(1, 4, n).flip(1));
        check_rows(noise<float>({n, rows}, 3).on(D{}).t());
        check_rows(noise<float>({rows, 2 * n + 1}, 4).on(D{})(weft::all, slice(1, weft::none, 2)));
      }
    }
  }
}

TEST_CASE_TEMPLATE("long rows", D, TEST_DEVICES) {
  for (const std::int64_t n : {20000, 40000, 70000, 300000}) {
    CAPTURE(n);
    check_rows(noise<float>({1, n}).on(D{}));
    check_rows(noise<float>({5, n + 1}).on(D{}).narrow(1, 1, n));
  }
}

TEST_CASE_TEMPLATE("any axes of any views", D, TEST_DEVICES) {
  test::Random r(21);
  for (int n = 0; n < 60; ++n) {
    Shape shape = r.shape(4, 5);
    shape.push_back(r.between(1, 30));
    auto a = noise<float>(shape, static_cast<std::uint64_t>(n));
    auto x = a.on(D{});
    for (int times = 3; times > 0; --times) r.vary(x, a);
    weft::Axes axes;
    unsigned mask = 0;
    for (int d = 0; d < x.rank(); ++d) {
      if (r.between(0, 1) == 0 && !(d == x.rank() - 1 && mask == 0)) continue;
      mask |= 1U << d;
      axes.push_back(d);
    }
    CAPTURE(weft::detail::text(a.shape));
    CAPTURE(mask);
    CHECK(apart(softmin(x, axes), by_rows(a, mask, softmin_of)) < 2e-5);
    const auto root = by_rows(a, mask, [](const Row& v) {
      return Row{std::sqrt(test::length(v) * test::length(v) / static_cast<double>(v.size()) + 1)};
    });
    CHECK(apart(sqrt(mean(square(x), axes) + 1.F), dropped(root, mask)) < 2e-5);
    CHECK(apart(sqrt(mean(square(x), axes, keepdims) + 1.F), root) < 2e-5);
  }
}

TEST_CASE_TEMPLATE("weights along columns, as in batch normalisation", D, TEST_DEVICES) {
  for (const Shape& shape : {Shape{3, 5, 7}, Shape{4, 3, 64}, Shape{1, 2, 3}, Shape{2, 40, 100}}) {
    const auto a = noise<float>(shape);
    const auto w = noise<float>({shape[1], 1}, 2);
    const auto x = a.on(D{});
    const auto y = w.on(D{});
    const auto centred = x - mean(x, axis(0, 2), keepdims);
    const auto scaled =
        centred / sqrt(mean(square(centred), axis(0, 2), keepdims) + 0.01F) * y + (1.F - y);
    const auto expected =
        test::combine(by_rows(a, 5, [](const Row& v) { return test::standard(v, 0.01); }),
                      in_double(w), [](double p, double q) { return p * q + 1 - q; });
    CHECK(apart(scaled, expected) < 5e-5);
  }
}

TEST_CASE_TEMPLATE("a causal mask", D, TEST_DEVICES) {
  for (const std::int64_t n : {1, 4, 33, 130}) {
    const auto a = noise<float>({2, n, n});
    const auto x = a.on(D{});
    const auto column = weft::arange<std::int64_t>(n, D{});
    const auto row = weft::arange<std::int64_t>(n, D{}).reshape({n, 1});
    const auto masked = where(column <= row, x * 0.5F, -INFINITY);
    const auto e = exp(masked - max(masked, axis(-1), keepdims));
    std::int64_t i = 0;
    const auto expected = by_rows(a, 4, [&](Row v) {
      const auto last = i++ % n;
      for (std::int64_t j = 0; j < n; ++j) {
        auto& value = v[static_cast<std::size_t>(j)];
        value = j <= last ? value / 2 : -INFINITY;
      }
      return test::softmax(v);
    });
    CHECK(apart(e / sum(e, axis(-1), keepdims), expected) < 2e-5);
  }
}

TEST_CASE_TEMPLATE("reductions of reductions", D, TEST_DEVICES) {
  const auto a = noise<float>({6, 5, 70});
  const auto x = a.on(D{});
  const auto shares = softmin(x, axis(-1));
  const auto expected = by_rows(a, 4, softmin_of);
  CHECK(sum(shares).item() == doctest::Approx(30).epsilon(1e-5));
  CHECK(apart(max(shares, axis(-1)),
              dropped(by_rows(expected, 4, [](const Row& v) { return Row{test::largest(v)}; }),
                      4)) < 2e-5);
  CHECK(apart(max(sum(x, axis(-1)), axis(0)) + 1.F,
              dropped(by_rows(by_rows(a, 4, [](const Row& v) { return Row{test::total(v)}; }), 1,
                              [](const Row& v) { return Row{test::largest(v) + 1}; }),
                      5)) < 2e-5);
  // Several reductions of one row, two of them equal.
  const auto centred = x - mean(x, axis(-1), keepdims);
  const auto mixed = centred / max(abs(centred), axis(-1), keepdims) + mean(x, axis(-1), keepdims) +
                     sum(abs(centred), axis(-1), keepdims) / 70.F;
  CHECK(apart(mixed, by_rows(a, 4, [](const Row& v) {
                const double m = test::average(v);
                const Row c = each(v, [&](double w) { return w - m; });
                const Row size = each(c, [](double w) { return std::fabs(w); });
                return each(
                    c, [&](double w) { return w / test::largest(size) + m + test::average(size); });
              })) < 2e-5);
}

TEST_CASE_TEMPLATE("reductions of every kind inside an expression", D, TEST_DEVICES) {
  const auto a = noise<float>({7, 33});
  const auto x = a.on(D{});
  const auto e = x * cast<float>(argmax(x, axis(1), keepdims)) - weft::std(x, axis(1), keepdims) +
                 var(x, axis(1), keepdims, weft::correction(0)) * norm(x, axis(1), keepdims);
  CHECK(apart(e, by_rows(a, 2, [](const Row& v) {
                const double first =
                    static_cast<double>(std::max_element(v.begin(), v.end()) - v.begin());
                const auto n = static_cast<double>(v.size());
                const double s = std::sqrt(test::spread(v) * n / (n - 1));
                return each(
                    v, [&](double w) { return w * first - s + test::spread(v) * test::length(v); });
              })) < 5e-5);
  const auto chosen =
      where(any(x > 1.9F, axis(1), keepdims) && !weft::all(x > -1.9F, axis(1), keepdims), x,
            prod(x, axis(1), keepdims) + logsumexp(x, axis(1), keepdims)) +
      cast<float>(count_nonzero(x > 0.F, axis(1), keepdims));
  CHECK(apart(chosen, by_rows(a, 2, [](const Row& v) {
                double product = 1;
                double exponents = 0;
                double positive = 0;
                for (double w : v) {
                  product *= w;
                  exponents += std::exp(w);
                  positive += w > 0;
                }
                const bool both =
                    test::largest(v) > 1.9F && *std::min_element(v.begin(), v.end()) <= -1.9F;
                return each(v, [&](double w) {
                  return (both ? w : product + std::log(exponents)) + positive;
                });
              })) < 5e-5);
}

TEST_CASE_TEMPLATE("integers and other types", D, TEST_DEVICES) {
  test::Random r(4);
  const auto a = r.array<std::int32_t>({9, 300});
  const auto x = a.on(D{});
  CHECK(apart(cast<std::int64_t>(x) * 300 - sum(x, axis(1), keepdims),
              by_rows(a, 2, [](const Row& v) {
                return each(v, [&](double w) { return w * 300 - test::total(v); });
              })) == 0);
  const auto d = noise<double>({4, 777});
  CHECK(apart(softmin(d.on(D{}), axis(1)), by_rows(d, 2, softmin_of)) < 1e-12);
  const auto h = noise<weft::half>({4, 777});
  CHECK(apart(softmin(h.on(D{}).narrow(1, 3, 700), axis(1)),
              by_rows(h.pick({4, 700}, [](Index i) { return i[1] += 3, i; }), 2, softmin_of)) <
        2e-3);
}

TEST_CASE_TEMPLATE("reductions that lie across the rows", D, TEST_DEVICES) {
  const auto sum_of = [](const Row& v) { return Row{test::total(v)}; };
  const auto minus = [](double p, double q) { return p - q; };
  const auto over = [](double p, double q) { return p / q; };
  for (const std::int64_t n : {1, 2, 5, 64, 300}) {
    const auto a = noise<float>({n, n});
    const auto x = a.on(D{});
    const auto reference = in_double(a);
    // The largest of row i is taken from column i.
    const auto most = dropped(by_rows(a, 2, [](const Row& v) { return Row{test::largest(v)}; }), 2);
    CHECK(apart(x - max(x, axis(-1)), combine(reference, most, minus)) < 1e-6);
    CHECK(apart(x - max(x, axis(-1)) / (1.F + max(abs(x), axis(-1), keepdims)),
                combine(reference,
                        combine(combine(reference, most, [](double, double q) { return q; }),
                                by_rows(a, 2,
                                        [](const Row& v) {
                                          const Row size =
                                              each(v, [](double w) { return std::fabs(w); });
                                          return Row{1 + test::largest(size)};
                                        }),
                                over),
                        minus)) < 1e-5);
  }
  auto a = noise<float>({33, 65});
  for (float& v : a.values) v += 3;  // no sum is near 0
  const auto x = a.on(D{});
  const auto reference = in_double(a);
  const auto mean_of = [](const Row& v) { return Row{test::average(v)}; };
  CHECK(apart((x - mean(x, axis(0), keepdims)) / sum(x, axis(1), keepdims),
              combine(combine(reference, by_rows(a, 1, mean_of), minus), by_rows(a, 2, sum_of),
                      over)) < 1e-5);
  CHECK(apart(x - mean(x, axis(0)), combine(reference, by_rows(a, 1, mean_of), minus)) < 1e-5);
  CHECK(apart(x / sum(x), combine(reference, by_rows(a, 3, sum_of), over)) < 1e-5);
  const auto y = x.narrow(0, 2, 1);  // (1, 65) against (33, 65)
  CHECK(apart(x - max(y, axis(1), keepdims),
              combine(reference,
                      by_rows(array(y), 2, [](const Row& v) { return Row{test::largest(v)}; }),
                      minus)) < 1e-6);
  CHECK(apart(y - sum(x, axis(0), keepdims),
              combine(in_double(array(y)), by_rows(a, 1, sum_of), minus)) < 1e-5);
  CHECK(apart(x / sum(y + x, axis(-1), keepdims),
              combine(reference,
                      by_rows(combine(reference, in_double(array(y)),
                                      [](double p, double q) { return p + q; }),
                              2, sum_of),
                      over)) < 1e-5);
  CHECK(apart(sum(x, axis(0)) + sum(x.t(), axis(1)),
              dropped(by_rows(a, 1, [](const Row& v) { return Row{2 * test::total(v)}; }), 1)) <
        1e-5);
}

TEST_CASE_TEMPLATE("in place", D, TEST_DEVICES) {
  for (const std::int64_t n : {1, 3, 200, 5000, 70000}) {
    CAPTURE(n);
    const auto a = noise<float>({4, n});
    const auto expected = by_rows(a, 2, softmin_of);
    auto x = a.on(D{});
    x = softmin(x, axis(-1));
    CHECK(apart(x, expected) < 2e-5);
    auto y = a.on(D{});
    const float* const before = y.data();
    y.assign(softmin(y, axis(-1)));
    CHECK(y.data() == before);
    CHECK(apart(y, expected) < 2e-5);
    // Part of a tensor from another part, shifted by one element.
    auto z = noise<float>({4, n + 1}, 2).on(D{});
    const auto part = by_rows(array(z.narrow(1, 1, n)), 2, softmin_of);
    z(weft::all, slice(0, -1)).assign(softmin(z(weft::all, slice(1)), axis(-1)));
    CHECK(apart(z.narrow(1, 0, n), part) < 2e-5);
    auto flipped = a.on(D{});
    flipped.assign(softmin(flipped.flip(0).flip(1), axis(-1)).eval().flip(0).flip(1));
    CHECK(apart(flipped, expected) < 2e-5);
  }
}

TEST_CASE_TEMPLATE("a target that other rows read", D, TEST_DEVICES) {
  const std::int64_t n = 97;
  const auto a = noise<float>({n, n});
  const auto x = a.on(D{});
  const auto start = noise<float>({n}, 2);
  Row product;
  for (std::int64_t i = 0; i < n; ++i) {
    double s = 0;
    for (std::int64_t j = 0; j < n; ++j) {
      s += static_cast<double>(a.at({i, j})) * static_cast<double>(start.at({j}));
    }
    product.push_back(s + 1);
  }
  const Array<double> expected{{n}, product};
  auto v = start.on(D{});
  v = sum(x * v, axis(1)) + 1.F;  // power iteration
  CHECK(apart(v, expected) < 1e-5);
  auto w = start.on(D{});
  w.assign(sum(x * w, axis(1)) + 1.F);
  CHECK(apart(w, expected) < 1e-5);

  const auto sums = dropped(by_rows(a, 2, [](const Row& r) { return Row{test::total(r)}; }), 2);
  auto y = a.on(D{});
  y.assign(y / max(abs(y), axis(0), keepdims) + sum(y, axis(1)));
  const auto shares = by_rows(a, 1, [](const Row& r) {
    const double m = test::largest(each(r, [](double e) { return std::fabs(e); }));
    return each(r, [&](double e) { return e / m; });
  });
  CHECK(apart(y, combine(shares, sums, [](double p, double q) { return p + q; })) < 1e-5);

  auto z = a.on(D{});
  const auto turned = z.flip(1);
  turned.narrow(0, 0, 1).assign(sum(turned, axis(1)) + weft::zeros({1, n}, D{}));
  CHECK(apart(turned(0), sums) < 1e-5);
}

TEST_CASE_TEMPLATE("targets of other shapes", D, TEST_DEVICES) {
  const auto a = noise<float>({2, 9});
  const auto x = a.on(D{});
  const auto expected = by_rows(a, 2, softmin_of);
  auto y = weft::zeros({3, 2, 9}, D{});
  y.assign(softmin(x, axis(-1)));
  for (std::int64_t k = 0; k < 3; ++k) CHECK(apart(y(k), expected) < 2e-5);
  auto t = weft::zeros({9, 2}, D{});
  t.t().assign(softmin(x, axis(-1)));
  CHECK(apart(t.t(), expected) < 2e-5);
  auto strided = weft::zeros({2, 18}, D{});
  strided(weft::all, slice(weft::none, weft::none, -2)).assign(softmin(x, axis(-1)));
  CHECK(apart(strided(weft::all, slice(weft::none, weft::none, -2)), expected) < 2e-5);
  CHECK(sum(strided.narrow(1, 0, 1)).item() == 0);
  CHECK_SAYS("does not broadcast", t.assign(softmin(x, axis(-1))));
}

TEST_CASE_TEMPLATE("rows without elements, and no rows", D, TEST_DEVICES) {
  const auto none = weft::zeros({3, 0}, D{});
  const std::vector<float> ones(3, 1.F);
  CHECK(sqrt(sum(none, axis(1)) + 1.F).eval().to_vector() == ones);
  CHECK(sqrt(sum(none, axis(1), keepdims) + 1.F).eval().to_vector() == ones);
  CHECK((sum(none - sum(weft::zeros({5, 0}, D{}), axis(0)), axis(1)) + 1.F).eval().to_vector() ==
        ones);
  CHECK(sum(none - max(weft::zeros({3, 1}, D{}), axis(1), keepdims), axis(1)).eval().to_vector() ==
        std::vector<float>(3));
  CHECK((none / sum(none, axis(1), keepdims)).eval().shape() == Shape{3, 0});
  CHECK(softmin(weft::zeros({0, 3}, D{}), axis(1)).eval().shape() == Shape{0, 3});
  CHECK(spread(weft::zeros({0, 3}, D{}), axis(1)).eval().shape() == Shape{0});
  CHECK(softmin(weft::zeros({1, 1, 1}, D{}), axis(1)).eval().to_vector() == std::vector<float>{1});
  CHECK((weft::full({}, 3.F, D{}) - sum(weft::full({}, 3.F, D{}))).item() == 0);
}

TEST_CASE_TEMPLATE("NaN and infinities stay in their rows", D, TEST_DEVICES) {
  const float inf = INFINITY;
  auto a = noise<float>({5, 300});
  a.values[7] = NAN;
  a.values[300 + 299] = inf;
  a.values[600] = -inf;
  for (std::size_t i = 900; i < 1200; ++i) a.values[i] = -inf;
  const auto x = a.on(D{});
  const auto e = exp(x - max(x, axis(-1), keepdims));
  CHECK(apart(e / sum(e, axis(-1), keepdims), by_rows(a, 2, test::softmax)) < 2e-5);
  CHECK(apart(spread(x, axis(-1)),
              dropped(by_rows(a, 2, [](const Row& v) { return Row{test::spread(v)}; }), 2)) < 2e-5);
}

TEST_CASE_TEMPLATE("draws of random numbers inside rows", D, TEST_DEVICES) {
  for (const std::int64_t n : {5, 1000, 9000}) {
    weft::Generator first(11);
    weft::Generator second(11);
    const auto noisy = weft::full({3, n}, 0.25F, D{}) + weft::uniform({3, n}, first);
    const auto same = (weft::full({3, n}, 0.25F, D{}) + weft::uniform({3, n}, second)).eval();
    CHECK(apart(softmin(noisy, axis(-1)), by_rows(array(same), 2, softmin_of)) < 2e-5);
    const auto kept = weft::trials<float>(same / max(same, axis(-1), keepdims), first);
    const auto again = weft::trials<float>((same / max(same, axis(-1), keepdims)).eval(), second);
    CHECK(kept.eval().to_vector() == again.eval().to_vector());
  }
}
