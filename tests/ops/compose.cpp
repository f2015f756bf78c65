// SPDX-License-Identifier: Apache-2.0
#include <weft/ops/compose.hpp>

#include "rows.hpp"

using test::apart;
using test::array;
using test::Array;
using test::by_rows;
using test::in_double;
using test::Row;
using test::tolerance;
using weft::axis;
using weft::Shape;

namespace {

/// Along the last axis, for rows of any type.
template <class T, class D>
void check_type(D device) {
  const auto a = test::noise<T>({5, 131});
  const auto x = a.on(device);
  CHECK(apart(softmax(x), by_rows(a, 2, test::softmax)) < tolerance<T>);
  CHECK(apart(layer_norm(x, x(0), x(1)),
              test::combine(
                  test::combine(by_rows(a, 2, [](const Row& r) { return test::standard(r); }),
                                in_double(array(x(0))), [](double p, double q) { return p * q; }),
                  in_double(array(x(1))), [](double p, double q) { return p + q; })) <
        2 * tolerance<T>);
}

}  // namespace

TEST_CASE_TEMPLATE("softmax names itself where an axis is not there", D, TEST_DEVICES) {
  const auto x = ones({2, 3}, D{});
  CHECK_SAYS("[softmax] axis 5 of a tensor of rank 2", softmax(x, axis(5)).eval());
  CHECK_SAYS("[log_softmax] axis 0 appears twice", log_softmax(x, axis(0, 0)).eval());
}

TEST_CASE_TEMPLATE("softmax and its relatives over any axes and views", D, TEST_DEVICES) {
  test::Random r(3);
  for (int n = 0; n < 40; ++n) {
    Shape shape = r.shape(3, 6);
    shape.push_back(r.between(1, 40));
    auto a = test::noise<float>(shape, 7);
    auto x = a.on(D{});
    for (int times = 3; times > 0; --times) r.vary(x, a);
    weft::Axes axes;
    unsigned mask = 0;
    for (int d = 0; d < x.rank(); ++d) {
      if (r.between(0, 1) == 0 && !(d == x.rank() - 1 && mask == 0)) continue;
      mask |= 1U << d;
      axes.push_back(r.between(0, 1) == 0 ? d : d - x.rank());
    }
    CAPTURE(weft::detail::text(a.shape));
    CAPTURE(mask);
    CHECK(apart(softmax(x, axes), by_rows(a, mask, test::softmax)) < 2e-5);
    CHECK(apart(log_softmax(x, axes), by_rows(a, mask, test::log_softmax)) < 2e-5);
    CHECK(apart(standardize(x, axes, 0.01),
                by_rows(a, mask, [](const Row& v) { return test::standard(v, 0.01); })) < 5e-5);
    CHECK(apart(normalize(x, axes), by_rows(a, mask, [](const Row& v) {
                  return test::each(v, [&](double w) { return w / test::length(v); });
                })) < 2e-5);
  }
}

TEST_CASE_TEMPLATE("weights along the row, columns and angles", D, TEST_DEVICES) {
  for (const std::int64_t n : {1, 7, 64, 1000}) {
    const auto a = test::noise<float>({2, 3, n}, 2);
    const auto w = test::noise<float>({n}, 3);
    const auto b = test::noise<float>({n}, 4);
    const auto x = a.on(D{});
    const auto times = [](double p, double q) { return p * q; };
    const auto plus = [](double p, double q) { return p + q; };
    const auto standard = by_rows(a, 4, [](const Row& v) { return test::standard(v); });
    CHECK(apart(layer_norm(x, w.on(D{}), b.on(D{})),
                combine(combine(standard, in_double(w), times), in_double(b), plus)) < 5e-5);
    const auto root = by_rows(a, 4, [](const Row& v) {
      const double square = test::average(test::each(v, [](double e) { return e * e; }));
      return test::each(v, [&](double e) { return e / std::sqrt(square + 1e-6); });
    });
    CHECK(apart(rms_norm(x, w.on(D{})), combine(root, in_double(w), times)) < 2e-5);
    Array<double> cosine{{2, 3}, {}};
    for (std::size_t row = 0; row < 6; ++row) {
      double dot = 0;
      double first = 0;
      double second = 0;
      for (std::size_t i = 0; i < w.values.size(); ++i) {
        const double p = a.values[row * w.values.size() + i];
        const double q = w.values[i];
        dot += p * q;
        first += p * p;
        second += q * q;
      }
      cosine.values.push_back(dot / std::sqrt(first * second));
    }
    CHECK(apart(cosine_similarity(x, w.on(D{}).expand({2, 3, n})), cosine) < 2e-5);
    CHECK(apart(cosine_similarity(x, w.on(D{})), cosine) < 2e-5);
  }
}

TEST_CASE_TEMPLATE("angles of operands that broadcast, along the reduced axes too", D,
                   TEST_DEVICES) {
  CHECK(cosine_similarity(weft::tensor({{1.F, 2.F}}, D{}), weft::tensor({{3.F}}, D{})).item() ==
        doctest::Approx(3 / std::sqrt(10)));
  test::Random r(21);
  for (int n = 0; n < 40; ++n) {
    Shape shape = r.shape(3, 4);
    shape.push_back(r.between(1, 5));
    auto a = test::noise<float>(r.shrunk(shape), 2 + static_cast<std::uint64_t>(n));
    auto b = test::noise<float>(shape, 60 + static_cast<std::uint64_t>(n));
    if (n % 2 == 0) std::swap(a, b);
    const auto mask = static_cast<unsigned>(r.between(1, (1 << shape.rank()) - 1));
    weft::Axes axes;
    Shape kept;
    for (int d = 0; d < shape.rank(); ++d) {
      if ((mask >> d & 1U) != 0) axes.push_back(d);
      kept.push_back((mask >> d & 1U) != 0 ? 1 : shape[d]);
    }
    Array<double> dot{kept, std::vector<double>(static_cast<std::size_t>(kept.size()))};
    Array<double> first = dot;
    Array<double> second = dot;
    test::each_index(shape, [&](const test::Index& i) {
      std::size_t k = 0;
      for (int d = 0; d < shape.rank(); ++d) {
        k = k * static_cast<std::size_t>(kept[d]) +
            (kept[d] == 1 ? 0 : static_cast<std::size_t>(i[static_cast<std::size_t>(d)]));
      }
      const double p = a.at(i);
      const double q = b.at(i);
      dot.values[k] += p * q;
      first.values[k] += p * p;
      second.values[k] += q * q;
    });
    for (std::size_t k = 0; k < dot.values.size(); ++k) {
      dot.values[k] /= std::sqrt(first.values[k] * second.values[k]);
    }
    CAPTURE(weft::detail::text(a.shape));
    CAPTURE(weft::detail::text(b.shape));
    CAPTURE(mask);
    const weft::Tensor found = cosine_similarity(a.on(D{}), b.on(D{}), axes);
    CHECK(apart(found.reshape(kept), dot) < 2e-5);
  }
}

TEST_CASE_TEMPLATE("element types", D, TEST_DEVICES) {
  check_type<double>(D{});
  check_type<weft::half>(D{});
  check_type<weft::bfloat16>(D{});
}

TEST_CASE_TEMPLATE("half types: small probabilities keep their digits", D, TEST_DEVICES) {
  const auto check = []<class T>(T) {
    std::vector<T> values;
    for (int i = 0; i < 256; ++i) values.push_back(T(-0.3125 * i));
    const auto y = softmax(weft::tensor(values, {-1}, D{})).eval().to_vector();
    double sum = 0;
    for (const T v : values) sum += std::exp(static_cast<double>(v));
    for (std::size_t i = 0; i < values.size(); ++i) {
      const double exact = std::exp(static_cast<double>(values[i])) / sum;
      if (exact < 1e-4) break;  // where half has fewer digits
      const double got = static_cast<float>(y[i]);
      CHECK(std::abs(got - exact) <= exact * (std::is_same_v<T, weft::half> ? 5e-4 : 4e-3));
    }
  };
  check(weft::half{});
  check(weft::bfloat16{});
}

TEST_CASE_TEMPLATE("extreme values", D, TEST_DEVICES) {
  const float inf = INFINITY;
  const auto x = weft::tensor({{1000.F, 1001.F, 999.F},
                               {-inf, 0.F, -inf},
                               {-inf, -inf, -inf},
                               {0.F, NAN, 1.F},
                               {inf, 0.F, 1.F}},
                              D{});
  const auto a = array(x);
  CHECK(apart(softmax(x), by_rows(a, 2, test::softmax)) < 1e-6);
  CHECK(apart(log_softmax(x), by_rows(a, 2, test::log_softmax)) < 1e-6);
  const auto zeros = weft::zeros({2, 3}, D{});
  CHECK(normalize(zeros).eval().to_vector() == std::vector<float>(6));
  CHECK(standardize(zeros).eval().to_vector() == std::vector<float>(6));
  CHECK(cosine_similarity(zeros, zeros).eval().to_vector() == std::vector<float>(2));
  CHECK(softmax(weft::zeros({0, 3}, D{})).eval().shape() == Shape{0, 3});
  CHECK(standardize(weft::zeros({3, 0}, D{})).eval().shape() == Shape{3, 0});
  CHECK(softmax(weft::zeros({3, 0}, D{})).eval().shape() == Shape{3, 0});
  CHECK(log_softmax(weft::zeros({3, 0, 2}, D{}), axis(1)).eval().shape() == Shape{3, 0, 2});
  CHECK_SAYS("axis 2 of a tensor of rank 2", softmax(zeros, axis(2)));
}

TEST_CASE_TEMPLATE("cross entropy: each row's loss, and their mean", D, TEST_DEVICES) {
  test::Random r(11);
  const auto logits = r.array<float>({4, 9});
  const std::vector<std::int64_t> targets = {8, 0, 3, 7};
  double total = 0;
  std::vector<double> rows;
  for (std::int64_t i = 0; i < 4; ++i) {
    double sum = 0;
    for (std::int64_t j = 0; j < 9; ++j) sum += std::exp(double{logits.at({i, j})});
    const std::int64_t t = targets[static_cast<std::size_t>(i)];
    rows.push_back(std::log(sum) - double{logits.at({i, t})});
    total += rows.back();
  }
  const auto x = logits.on(D{});
  const auto t = weft::borrow(targets.data(), {4}).clone().to(D{});
  const weft::Tensor losses = weft::cross_entropy_rows(x, t);
  CHECK(losses.shape() == weft::Shape{4, 1});
  const auto found = losses.to_vector();
  for (std::size_t i = 0; i < 4; ++i) CHECK(found[i] == doctest::Approx(rows[i]).epsilon(1e-5));
  CHECK(weft::cross_entropy(x, t).item() == doctest::Approx(total / 4).epsilon(1e-5));
}

TEST_CASE_TEMPLATE("a target that is no class is an error", D, TEST_DEVICES) {
  const auto x = weft::zeros({2, 3}, D{});
  const auto says = [&](int label, const char* text) {
    const auto t = weft::tensor({1, label}).to(D{});
    CHECK_SAYS(text, weft::cross_entropy(x, t).item());
    CHECK_SAYS(text, cross_entropy_rows(x, t).eval().to_vector());
  };
  const bool cuda = weft::is_cuda<D>;
  says(3, cuda ? "[cross_entropy] label 3 on cuda:0 for 3 classes, expected 0 to 2"
               : "[cross_entropy] label 3 for 3 classes, expected 0 to 2");
  says(-1, cuda ? "[cross_entropy] label -1 on cuda:0 for 3 classes, expected 0 to 2"
                : "[cross_entropy] label -1 for 3 classes, expected 0 to 2");
}
