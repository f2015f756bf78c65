// SPDX-License-Identifier: Apache-2.0
#include <weft/ops/random/categorical.hpp>
#include <weft/ops/random/distributions.hpp>
#include <weft/ops/random/variates.hpp>

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "statistics.hpp"
#include "test.hpp"
#include "weft/random.hpp"

#ifdef __CUDACC__
#include "weft/cuda/algorithms.hpp"  // draws without replacement sort
#endif

using namespace weft;

namespace {

constexpr double pi = 3.14159265358979323846;
constexpr double infinite = math::infinity<double>;
constexpr std::int64_t n = 20000;

/// Kolmogorov and Smirnov's distance times the root of the count: above 1.95 once in a thousand.
double distance(std::vector<double> x, const std::function<double(double)>& cdf) {
  std::sort(x.begin(), x.end());
  const auto count = static_cast<double>(x.size());
  double worst = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double at = cdf(x[i]);
    const double below = static_cast<double>(i) / count;
    const double d = std::max(std::fabs(at - below), std::fabs(at - below - 1 / count));
    worst = d > worst || d != d ? d : worst;
  }
  return worst * std::sqrt(count);
}

/// Chi-square of counts against probabilities, in deviations; the rare ones are one class.
double unevenness(const std::vector<double>& x, const std::function<double(int)>& probability) {
  std::vector<double> counts(3000);
  for (double v : x) counts[static_cast<std::size_t>(v)] += 1;
  double chi2 = 0;
  double classes = 0;
  double rest = static_cast<double>(x.size());
  double rest_count = rest;
  for (std::size_t k = 0; k < counts.size(); ++k) {
    const double expected = probability(static_cast<int>(k)) * static_cast<double>(x.size());
    if (expected < 10) continue;
    chi2 += (counts[k] - expected) * (counts[k] - expected) / expected;
    classes += 1;
    rest -= expected;
    rest_count -= counts[k];
  }
  if (rest > 10) {
    chi2 += (rest_count - rest) * (rest_count - rest) / rest;
    classes += 1;
  }
  return (chi2 - (classes - 1)) / std::sqrt(2 * (classes - 1));
}

/// The integral of a density from `low`, by Simpson's rule.
std::function<double(double)> integral(const std::function<double(double)>& density, double low) {
  return [=](double x) {
    constexpr int steps = 60;
    const double h = (x - low) / steps;
    double sum = density(low) + density(x);
    for (int i = 1; i < steps; ++i) sum += (i % 2 == 0 ? 2 : 4) * density(low + i * h);
    return sum * h / 3;
  };
}

double phi(double x) { return 0.5 * std::erfc(-x / std::sqrt(2.)); }

/// Gamma's distribution function for a whole shape.
double erlang(int shape, double x) {
  double term = std::exp(-x);
  double below = term;
  for (int k = 1; k < shape; ++k) below += term *= x / k;
  return 1 - below;
}

double poisson_probability(double rate, int k) {
  return std::exp(k * std::log(rate) - rate - std::lgamma(k + 1.));
}
double log_choices(double all_of, double k) {
  return std::lgamma(all_of + 1) - std::lgamma(k + 1) - std::lgamma(all_of - k + 1);
}
double binomial_probability(double trials, double p, int k) {
  if (k > trials) return 0;
  return std::exp(std::lgamma(trials + 1) - std::lgamma(k + 1.) - std::lgamma(trials - k + 1) +
                  k * std::log(p) + (trials - k) * std::log1p(-p));
}

struct Continuous {
  std::string name;
  std::function<Tensor<double>(Generator&)> draw;
  std::function<double(double)> cdf;
};
const Shape many{n};

}  // namespace

TEST_CASE("continuous distributions pass Kolmogorov and Smirnov's test") {
  const auto truncated = [](double low, double high) {
    return [=](double x) {
      return low > 0 ? (phi(-low) - phi(-x)) / (phi(-low) - phi(-high))
                     : (phi(x) - phi(low)) / (phi(high) - phi(low));
    };
  };
  const auto normal_from = [](double low, double high) {
    return [=](Generator& g) {
      return random::truncated_normal<double>(1, 2, 1 + 2 * low, 1 + 2 * high, many, Cpu{}, g);
    };
  };
  const auto scaled = [](const std::function<double(double)>& f) {
    return [=](double x) { return f((x - 1) / 2); };
  };
  const auto von_mises = [](double k) {
    return integral(
        [=](double x) { return std::exp(k * std::cos(x)) / (2 * pi * std::cyl_bessel_i(0., k)); },
        -pi);
  };
  const Continuous all_of[] = {
      {"exponential", [](Generator& g) { return random::exponential<double>(2, many, Cpu{}, g); },
       [](double x) { return -std::expm1(-2 * x); }},
      {"laplace", [](Generator& g) { return random::laplace<double>(1, 2, many, Cpu{}, g); },
       [](double x) { return x < 1 ? std::exp((x - 1) / 2) / 2 : 1 - std::exp((1 - x) / 2) / 2; }},
      {"cauchy", [](Generator& g) { return random::cauchy<double>(1, 2, many, Cpu{}, g); },
       [](double x) { return 0.5 + std::atan((x - 1) / 2) / pi; }},
      {"gumbel", [](Generator& g) { return random::gumbel<double>(1, 2, many, Cpu{}, g); },
       [](double x) { return std::exp(-std::exp((1 - x) / 2)); }},
      {"log_normal", [](Generator& g) { return random::log_normal<double>(1, 2, many, Cpu{}, g); },
       [](double x) { return phi((std::log(x) - 1) / 2); }},
      {"gamma 1/2", [](Generator& g) { return random::gamma<double>(0.5, 2, many, Cpu{}, g); },
       [](double x) { return std::erf(std::sqrt(x / 2)); }},
      {"gamma 1/2 in float",
       [](Generator& g) { return cast<double>(random::gamma<float>(0.5, 2, many, Cpu{}, g)); },
       [](double x) { return std::erf(std::sqrt(x / 2)); }},
      {"gamma 20 in float",
       [](Generator& g) { return cast<double>(random::gamma<float>(20, 3, many, Cpu{}, g)); },
       [](double x) { return erlang(20, x / 3); }},
      {"gamma 1", [](Generator& g) { return random::gamma<double>(1, 1, many, Cpu{}, g); },
       [](double x) { return erlang(1, x); }},
      {"gamma 20", [](Generator& g) { return random::gamma<double>(20, 3, many, Cpu{}, g); },
       [](double x) { return erlang(20, x / 3); }},
      {"beta 2, 3", [](Generator& g) { return random::beta<double>(2, 3, many, Cpu{}, g); },
       [](double x) { return x * x * (6 + x * (-8 + 3 * x)); }},
      {"beta 1/2, 1/2", [](Generator& g) { return random::beta<double>(0.5, 0.5, many, Cpu{}, g); },
       [](double x) { return 2 / pi * std::asin(std::sqrt(x)); }},
      {"wald 2, 3", [](Generator& g) { return random::wald<double>(2, 3, many, Cpu{}, g); },
       [](double x) {
         const double root = std::sqrt(3 / x);
         return phi(root * (x / 2 - 1)) + std::exp(3.) * phi(-root * (x / 2 + 1));
       }},
      {"normal from -1 to 3", normal_from(-1, 3), scaled(truncated(-1, 3))},
      {"normal from -0.5 to 1", normal_from(-0.5, 1), scaled(truncated(-0.5, 1))},
      {"normal from 2 on", normal_from(2, infinite), scaled(truncated(2, infinite))},
      {"normal from 2 to 2.2", normal_from(2, 2.2), scaled(truncated(2, 2.2))},
      {"normal up to -1", normal_from(-infinite, -1), scaled(truncated(-infinite, -1))},
      {"von Mises 0.5",
       [](Generator& g) { return random::von_mises<double>(0, 0.5, many, Cpu{}, g); },
       von_mises(0.5)},
      {"von Mises 8", [](Generator& g) { return random::von_mises<double>(0, 8, many, Cpu{}, g); },
       von_mises(8)},
      {"von Mises 0", [](Generator& g) { return random::von_mises<double>(3, 0, many, Cpu{}, g); },
       [](double x) { return (x + pi) / (2 * pi); }}};
  Generator g(11);
  for (const Continuous& c : all_of) {
    CAPTURE(c.name);
    CHECK(distance(c.draw(g).to_vector(), c.cdf) < 1.95);
  }
}

TEST_CASE("counts pass the test by chi-square") {
  Generator g(12);
  for (double rate : {0.3, 4., 9.9, 10., 35., 800.}) {
    CAPTURE(rate);
    CHECK(unevenness(test::doubles(random::poisson(rate, many, Cpu{}, g)),
                     [&](int k) { return poisson_probability(rate, k); }) < 4);
  }
  struct Case {
    double trials, p;
  };
  for (const Case& c : {Case{5, 0.3}, Case{40, 0.2}, Case{40, 0.7}, Case{100, 0.5},
                        Case{2000, 0.004}, Case{2000, 0.97}}) {
    const double trials = c.trials;
    const double p = c.p;
    CAPTURE(trials);
    CAPTURE(p);
    CHECK(unevenness(test::doubles(random::binomial(trials, p, many, Cpu{}, g)),
                     [&](int k) { return binomial_probability(trials, p, k); }) < 4);
  }
  for (double p : {0.02, 0.4}) {
    CAPTURE(p);
    CHECK(unevenness(test::doubles(random::geometric(p, many, Cpu{}, g)),
                     [&](int k) { return k == 0 ? 0 : std::pow(1 - p, k - 1) * p; }) < 4);
  }
  struct Urn {
    double good, bad, draws;
  };
  for (const Urn& c : {Urn{5, 30, 10}, Urn{30, 5, 25}, Urn{60, 90, 70}, Urn{900, 300, 500},
                       Urn{300, 900, 1100}, Urn{1e6, 3e6, 500}, Urn{4, 3, 7}}) {
    CAPTURE(c.good);
    CAPTURE(c.draws);
    const auto probability = [&](int k) {
      if (k > c.good || k > c.draws || c.draws - k > c.bad) return 0.;
      return std::exp(log_choices(c.good, k) + log_choices(c.bad, c.draws - k) -
                      log_choices(c.good + c.bad, c.draws));
    };
    const auto x = random::hypergeometric(c.good, c.bad, c.draws, many, Cpu{}, g);
    if (c.draws == 7) {
      CHECK(min(x).item() == 4);
      CHECK(max(x).item() == 4);
    } else {
      CHECK(unevenness(test::doubles(x), probability) < 4);
    }
  }
  for (double p : {0.1, 0.6, 0.97}) {
    CAPTURE(p);
    CHECK(unevenness(test::doubles(random::log_series(p, many, Cpu{}, g)), [&](int k) {
            return k == 0 ? 0 : -std::pow(p, k) / (k * std::log1p(-p));
          }) < 4);
  }
  for (double a : {1.8, 3., 8.}) {
    CAPTURE(a);
    const auto x = random::zipf<double>(a, many, Cpu{}, g);
    CHECK(unevenness(test::doubles(minimum(x, 2999.)), [&](int k) {
            return k == 0 || k == 2999 ? 0 : std::pow(k, -a) / std::riemann_zeta(a);
          }) < 4);
  }
  CHECK(random::log_series<int>(0, {5}).to_vector() == std::vector<int>(5, 1));
  CHECK(random::zipf<int>(2000, {5}).to_vector() == std::vector<int>(5, 1));
  CHECK(min(random::zipf(1 + 1e-12, {50})).item() > 0);
  CHECK(random::geometric<int>(1, {5}).to_vector() == std::vector<int>(5, 1));
  CHECK(random::poisson<int>(0, {5}).to_vector() == std::vector<int>(5, 0));
  CHECK(random::binomial<int>(7, 1, {5}).to_vector() == std::vector<int>(5, 7));
  const auto large = test::doubles(random::poisson<double>(1e12, many, Cpu{}, g));
  CHECK(std::fabs(test::moment(large, 1) - 1e12) < 4 * 1e6 / std::sqrt(n));
}

/// Whether a draw has the same numbers on D but for their last digits. (A generic lambda with a
/// default argument, as this was, makes nvcc 13 stop.)
template <class D, class F>
bool near(const F& draw, double tolerance = 1e-12) {
  Generator a(5);
  Generator b(5);
  return allclose(draw(Cpu{}, a), draw(D{}, b).to(Cpu{}), {tolerance, tolerance});
}

TEST_CASE_TEMPLATE("numbers are the same on every device", D, TEST_DEVICES) {
  const auto same = [](auto draw) {
    Generator a(4);
    Generator b(4);
    return equal(draw(Cpu{}, a), draw(D{}, b).to(Cpu{}));
  };
  const Shape shape{7, 501};
  CHECK(same([&](auto d, Generator& g) { return random::poisson(3.5, shape, d, g); }));
  CHECK(same([&](auto d, Generator& g) { return random::poisson(350, shape, d, g); }));
  CHECK(same([&](auto d, Generator& g) { return random::binomial(100, 0.4, shape, d, g); }));
  CHECK(same([&](auto d, Generator& g) { return random::geometric<int>(0.1, shape, d, g); }));
  CHECK(
      same([&](auto d, Generator& g) { return random::hypergeometric(60, 90, 70, shape, d, g); }));
  CHECK(same([&](auto d, Generator& g) { return random::hypergeometric(5, 300, 9, shape, d, g); }));
  CHECK(same([&](auto d, Generator& g) { return random::log_series(0.9, shape, d, g); }));
  CHECK(same([&](auto d, Generator& g) { return random::zipf(2.5, shape, d, g); }));
  CHECK(near<D>([&](auto d, Generator& g) { return random::wald<double>(2, 3, shape, d, g); }));
  CHECK(near<D>([&](auto d, Generator& g) { return random::exponential<double>(3, shape, d, g); }));
  CHECK(near<D>([&](auto d, Generator& g) { return random::gamma<double>(0.7, 3, shape, d, g); }));
  CHECK(
      near<D>([&](auto d, Generator& g) { return random::gamma(0.7, 3, {1 << 16}, d, g); }, 1e-5));
  CHECK(near<D>([&](auto d, Generator& g) { return random::gamma(300, 3, shape, d, g); }, 1e-5));
  CHECK(near<D>([&](auto d, Generator& g) { return random::beta<double>(0.7, 3, shape, d, g); }));
  CHECK(near<D>([&](auto d, Generator& g) { return random::von_mises<double>(1, 3, shape, d, g); },
                1e-7));  // the arc cosine of nearly 1 has half the digits
  CHECK(near<D>([&](auto d, Generator& g) {
    return random::truncated_normal<double>(0, 1, 1, 2, shape, d, g);
  }));
  const Tensor<double> weights = tensor({0.2, 0., 0.5, 0.3});
  CHECK(
      same([&](auto d, Generator& g) { return random::multinomial(weights.to(d), 500, true, g); }));
  CHECK(
      same([&](auto d, Generator& g) { return random::multinomial(weights.to(d), 3, false, g); }));
}

TEST_CASE_TEMPLATE("parameters are tensors that broadcast", D, TEST_DEVICES) {
  Generator g(6);
  const Tensor<double, D> rates = tensor({0.5, 50.}).to(D{});
  const auto counts = random::poisson(rates.unsqueeze(1).expand({2, 5000}), g);
  CHECK(counts.dtype() == Dtype::int64);
  const auto means = mean(cast<double>(counts), axis(1)).eval().to_vector();
  CHECK(std::fabs(means[0] - 0.5) < 4 * std::sqrt(0.5 / 5000));
  CHECK(std::fabs(means[1] - 50) < 4 * std::sqrt(50. / 5000));
  const auto gammas = random::gamma(rates.unsqueeze(1), ones<double>({3}, D{}) * 2., g);
  CHECK(gammas.shape() == Shape{2, 3});
  const auto mixed = random::gamma(rates, 2, g);
  CHECK(mixed.shape() == Shape{2});
  // Neither moves the other's numbers: a number as parameter draws the same as a tensor of it.
  Generator a(7);
  Generator b(7);
  CHECK(equal(random::exponential<double>(3, {4}, D{}, a),
              random::exponential(full<double>({4}, 3., D{}), b)));
  const auto bad = random::beta(tensor({1., -1.}).to(D{}), 1, g).to_vector();
  CHECK(bad[0] > 0);
  CHECK(bad[1] != bad[1]);
  CHECK(random::poisson(tensor({-1.}).to(D{}), g).item() == -1);
}

TEST_CASE_TEMPLATE("categories, with replacement and without", D, TEST_DEVICES) {
  Generator g(9);
  const Tensor<double, D> weights = tensor({2., 0., 5., 3.}).to(D{});
  const auto probability = [](int k) { return k == 0 ? 0.2 : k == 2 ? 0.5 : k == 3 ? 0.3 : 0; };
  const auto each = random::multinomial(weights, n, true, g);
  CHECK(each.shape() == many);
  CHECK(unevenness(test::doubles(each), probability) < 4);
  const auto rows = random::categorical(weights.expand({n, 4}), g);
  CHECK(unevenness(test::doubles(rows), probability) < 4);
  // Without replacement the second is drawn from what the first left.
  const auto two = random::multinomial(weights.expand({n, 4}), 2, false, g).to_vector();
  double threes_after_two = 0;
  double twos = 0;
  for (std::size_t i = 0; i < two.size(); i += 2) {
    REQUIRE(two[i] != two[i + 1]);
    twos += two[i] == 2 ? 1 : 0;
    threes_after_two += two[i] == 2 && two[i + 1] == 3 ? 1 : 0;
  }
  CHECK(std::fabs(twos / n - 0.5) < 4 * 0.5 / std::sqrt(n));
  CHECK(std::fabs(threes_after_two / twos - 0.6) < 4 * 0.5 / std::sqrt(twos));
  auto order = random::choice(weights, 4, false, g).to_vector();
  std::sort(order.begin(), order.end());
  CHECK(order == std::vector<double>{0, 2, 3, 5});
  const auto drawn = random::choice(weights, 50, weights, true, g).to_vector();
  CHECK(std::count(drawn.begin(), drawn.end(), 0.) == 0);
  const Tensor<double, D> rows_of_6 = arange<double>(6, D{}).expand({1000, 6});
  const auto mixed = random::permuted(rows_of_6, axis(-1), g);
  CHECK(equal(sort(mixed, axis(1)).values, rows_of_6));
  CHECK(unevenness(test::doubles(mixed(all, 2)), [](int k) { return k < 6 ? 1. / 6 : 0; }) < 4);
  const auto d = random::dirichlet(tensor({0.001, 2., 3.}).to(D{}).expand({5000, 3}), g);
  CHECK(allclose(sum(d, axis(1)), ones<double>({5000}, D{})));
  CHECK(std::fabs(mean(d(all, 1)).item() - 2 / 5.001) < 4 * 0.2 / std::sqrt(5000.));
}

TEST_CASE("what distributions refuse") {
  CHECK_SAYS("[gamma] parameters (-1, 2), expected a positive shape and scale",
             random::gamma(-1, 2, {3}));
  CHECK_SAYS("[binomial] parameters (2.5, 0.5), expected a whole number of trials",
             random::binomial(2.5, 0.5, {3}));
  CHECK_SAYS("[hypergeometric] parameters (3, 4, 8), expected whole numbers of good and bad ones",
             random::hypergeometric(3, 4, 8, {3}));
  CHECK_SAYS("[zipf] parameters (1), expected an exponent above 1", random::zipf(1, {3}));
  CHECK_SAYS("[truncated_normal] parameters (0, 1, 2, 1)",
             random::truncated_normal(0, 1, 2, 1, {3}));
  CHECK_SAYS("[exponential] shape (-1,)", random::exponential(1, {-1}));
  CHECK_SAYS("[multinomial] 3 of 2 without replacement", random::multinomial(ones({2}), 3));
  const auto two_of_three = tensor({1.0, 0.0, 2.0});
  CHECK_SAYS("[multinomial] 3 without replacement of 2 weights above 0",
             random::multinomial(tensor({{1.0, 0.0, 2.0}, {1.0, 1.0, 1.0}}), 3));
  CHECK(sort(random::multinomial(two_of_three, 2)).values.to_vector() ==
        std::vector<std::int64_t>{0, 2});
  CHECK(random::multinomial(zeros({0, 3}), 2).shape() == Shape{0, 2});
  CHECK_SAYS("[categorical] a weight of -1", random::categorical(tensor({1., -1.})));
  CHECK_SAYS("[categorical] a weight of 0, a sum of 0", random::categorical(zeros({2, 3})));
  CHECK(random::categorical(zeros({0, 3})).shape() == Shape{0});
  CHECK_SAYS("[categorical] weights of shape (2, 0)", random::categorical(zeros({2, 0})));
  const auto numbers = random::choice(3, 50, tensor({1.0F, 0.0F, 1.0F}));
  CHECK(numbers.dtype() == Dtype::int64);
  CHECK(!any(numbers == 1).item());
  CHECK(sort(random::choice(4, 4, false)).values.to_vector() ==
        std::vector<std::int64_t>{0, 1, 2, 3});
  CHECK_SAYS("[choice] 3 of 2 without replacement", random::choice(ones({2}), 3, false));
}
