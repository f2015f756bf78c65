// SPDX-License-Identifier: Apache-2.0
#include <weft/ops/random/random.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "reference.hpp"
#include "statistics.hpp"
#include "test.hpp"

using test::correlation;
using test::moment;
using test::unevenness;
using weft::bfloat16;
using weft::Cpu;
using weft::Generator;
using weft::Positions;
using weft::Shape;

namespace {

template <class T>
bool same_bits(const std::vector<T>& a, const std::vector<T>& b) {
  return a.size() == b.size() &&
         (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0);
}

template <class T>
double largest_difference(const std::vector<T>& a, const std::vector<T>& b) {
  REQUIRE(a.size() == b.size());
  double worst = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    worst = std::max(worst, test::ulps(a[i], static_cast<long double>(b[i])));
  }
  return worst;
}

/// Six elements of an operation on positions, from the given one.
template <class Op, class D>
auto six_from(std::int64_t first, const Op& op, D device) {
  using T = typename Op::result_type;
  return weft::detail::on<T>(weft::Map<T, Op, Positions>(op, Positions({6}, first)), device)
      .to_vector();
}

constexpr std::int64_t sizes[] = {0, 1, 2, 3, 5, 1023, 100001};

}  // namespace

TEST_CASE_TEMPLATE("uniform, integers and bernoulli have the same bits on every device", D,
                   TEST_DEVICES) {
  Generator a(3);
  Generator b(3);
  for (std::int64_t n : sizes) {
    CAPTURE(n);
    CHECK(same_bits(weft::rand<float>({n}, Cpu{}, a).to_vector(),
                    weft::rand<float>({n}, D{}, b).to_vector()));
    CHECK(same_bits(weft::rand<double>({n}, Cpu{}, a).to_vector(),
                    weft::rand<double>({n}, D{}, b).to_vector()));
    CHECK(same_bits(weft::rand<weft::half>({n}, Cpu{}, a).to_vector(),
                    weft::rand<weft::half>({n}, D{}, b).to_vector()));
    CHECK(same_bits(weft::rand<bfloat16>({n}, Cpu{}, a).to_vector(),
                    weft::rand<bfloat16>({n}, D{}, b).to_vector()));
    CHECK(weft::randint<std::int8_t>(-7, 100, {n}, Cpu{}, a).to_vector() ==
          weft::randint<std::int8_t>(-7, 100, {n}, D{}, b).to_vector());
    CHECK(weft::randint(INT64_MIN, INT64_MAX, {n}, Cpu{}, a).to_vector() ==
          weft::randint(INT64_MIN, INT64_MAX, {n}, D{}, b).to_vector());
    CHECK(weft::bernoulli(0.3, {n}, Cpu{}, a).to_vector() ==
          weft::bernoulli(0.3, {n}, D{}, b).to_vector());
  }
}

TEST_CASE_TEMPLATE("normal numbers agree on every device", D, TEST_DEVICES) {
  Generator a(4);
  Generator b(4);
  for (std::int64_t n : sizes) {
    CAPTURE(n);
    CHECK(largest_difference(weft::randn<float>({n}, Cpu{}, a).to_vector(),
                             weft::randn<float>({n}, D{}, b).to_vector()) <= 1);
    CHECK(largest_difference(weft::randn<weft::half>({n}, Cpu{}, a).to_vector(),
                             weft::randn<weft::half>({n}, D{}, b).to_vector()) <= 1);
    CHECK(same_bits(weft::randn<double>({n}, Cpu{}, a).to_vector(),
                    weft::randn<double>({n}, D{}, b).to_vector()));
  }
}

TEST_CASE_TEMPLATE("targets that begin anywhere get the numbers of their positions", D,
                   TEST_DEVICES) {
  const auto compare = [](auto element, const auto& expression) {
    using T = decltype(element);
    for (std::int64_t columns : {1, 3, 4, 8, 24}) {
      const auto expected = expression(Shape{5, columns}, Cpu{}).eval().to_vector();
      for (std::int64_t left = 0; left < 9; ++left) {
        CAPTURE(columns);
        CAPTURE(left);
        const weft::Tensor<T, D> wide = weft::zeros<T>({5, columns + 9}, D{});
        const weft::Tensor<T, D> part = wide.narrow(1, left, columns);
        part.assign(expression(Shape{5, columns}, D{}));
        CHECK(largest_difference(part.to(Cpu{}).contiguous().to_vector(), expected) <= 1);
        CHECK(weft::count_nonzero(wide.narrow(1, 0, left)).item() == 0);
        // Positions may go another way than the target.
        const weft::Tensor<T, D> across = weft::zeros<T>({columns + 9, 5}, D{}).t();
        across.narrow(1, left, columns).assign(expression(Shape{5, columns}, D{}));
        const auto turned = across.narrow(1, left, columns).to(Cpu{}).contiguous();
        CHECK(largest_difference(turned.to_vector(), expected) <= 1);
      }
    }
  };
  const weft::Draw draw{11, 4};
  const auto made = [&]<class T>(const Shape& shape, auto device, T one) {
    const auto x = weft::full<T>(shape, weft::compute_t<T>(one), device);
    return where(weft::generated(shape, weft::op::trials<bool>(draw, 0.6)), x,
                 weft::compute_t<T>(0)) +
           weft::generated(shape, weft::op::uniform<T>{draw});
  };
  compare(float(), [&](const Shape& s, auto d) { return made(s, d, 2.F); });
  compare(double(), [&](const Shape& s, auto d) { return made(s, d, 2.); });
  compare(weft::half(), [&](const Shape& s, auto d) { return made(s, d, weft::half(2.F)); });
  compare(float(), [&](const Shape& s, auto) {
    return weft::generated(s, weft::op::normal<float>{draw}) * 1.F;
  });
  compare(bfloat16(), [&](const Shape& s, auto) {
    return weft::generated(s, weft::op::normal<bfloat16>{draw}) * 1.F;
  });
}

TEST_CASE("trials succeed below p * 2^32") {
  using Trials = weft::op::trials<bool>;
  CHECK(Trials({}, 0).successes == 0);
  CHECK(Trials({}, 1).successes == std::uint64_t{1} << 32);
  CHECK(Trials({}, 0x1p-32).successes == 1);
  CHECK(Trials({}, 0x1p-33).successes == 1);
  CHECK(Trials({}, 5e-324).successes == 1);
  CHECK(Trials({}, 0.5).successes == std::uint64_t{1} << 31);
  CHECK(Trials({}, std::nextafter(0.5, 1)).successes == (std::uint64_t{1} << 31) + 1);
  CHECK(Trials({}, std::nextafter(1., 0)).successes == std::uint64_t{1} << 32);
  for (double p : {0., 1e-9, 0.1, 0.9, 1 - 1e-10, 1.}) {
    for (long long i = 0; i < 100; ++i) {
      CHECK(Trials({3, 5}, p).value(i) == Trials(weft::Draw{3, 5}).value(i, p));
    }
  }
}

TEST_CASE("element i depends on seed, draw and i alone") {
  Generator a(5);
  Generator b(5);
  const auto few = weft::randn({7}, Cpu{}, a).to_vector();
  const auto many = weft::randn({3, 5, 7}, Cpu{}, b).to_vector();
  CHECK(std::equal(few.begin(), few.end(), many.begin()));
  CHECK(weft::randn({7}, Cpu{}, a).to_vector() != few);
}

TEST_CASE_TEMPLATE("positions past 2^32", D, TEST_DEVICES) {
  const weft::op::uniform<float> uniform{{6, 1}};
  const weft::op::normal<double> normal{{6, 2}};
  const weft::op::integers<std::int64_t> integers{{6, 3}, 0, std::uint64_t{1} << 40};
  for (std::int64_t first : {(std::int64_t{1} << 32) - 2, (std::int64_t{1} << 34) + 1}) {
    const auto u = six_from(first, uniform, D{});
    const auto n = six_from(first, normal, D{});
    const auto k = six_from(first, integers, D{});
    for (std::size_t i = 0; i < 6; ++i) {
      const long long position = first + static_cast<long long>(i);
      CHECK(u[i] == uniform.value(position));
      CHECK(u[i] != uniform.value(position - (1LL << 32)));
      CHECK(n[i] == normal.value(position));
      CHECK(k[i] == integers.value(position));
    }
  }
}

TEST_CASE_TEMPLATE("rand is uniform on [0, 1)", T, float, double, weft::half, bfloat16) {
  Generator g(1);
  const auto x = test::doubles(weft::rand<T>({200003}, Cpu{}, g));
  CHECK(*std::min_element(x.begin(), x.end()) >= 0);
  CHECK(*std::max_element(x.begin(), x.end()) < 1);
  const double low = std::ldexp(0.5, -std::numeric_limits<T>::digits);  // half of T's step
  CHECK(std::fabs(moment(x, 1) - (0.5 - low)) < 4 * 0.2887 / std::sqrt(200003.0));
  CHECK(moment(x, 2) == doctest::Approx(1.0 / 3).epsilon(0.02));
  std::vector<double> counts(64);
  for (double v : x) counts[static_cast<std::size_t>(v * 64)] += 1;
  CHECK(std::fabs(unevenness(counts)) < 4);
  for (std::size_t lag = 1; lag <= 8; ++lag)
    CHECK(std::fabs(correlation(x, x, lag)) < 4 / std::sqrt(200003.0));
}

TEST_CASE_TEMPLATE("randn is normal", T, float, double) {
  Generator g(2);
  const double n = 200003;
  const auto x = test::doubles(weft::randn<T>({200003}, Cpu{}, g));
  CHECK(std::fabs(moment(x, 1)) < 4 / std::sqrt(n));
  CHECK(std::fabs(moment(x, 2) - 1) < 4 * std::sqrt(2 / n));
  CHECK(std::fabs(moment(x, 3)) < 4 * std::sqrt(15 / n));
  CHECK(std::fabs(moment(x, 4) - 3) < 4 * std::sqrt(96 / n));
  std::vector<double> counts(64);  // of the distribution function, which is uniform
  for (double v : x) counts[static_cast<std::size_t>(0.5 * std::erfc(-v / std::sqrt(2)) * 64)] += 1;
  CHECK(std::fabs(unevenness(counts)) < 4);
  std::vector<double> squares = x;
  for (double& v : squares) v *= v;
  for (std::size_t lag = 1; lag <= 8; ++lag) {
    CHECK(std::fabs(correlation(x, x, lag)) < 4 / std::sqrt(n));
    CHECK(std::fabs(correlation(squares, squares, lag)) < 4 / std::sqrt(n));
  }
}

TEST_CASE("successive draws and neighbouring seeds are independent") {
  Generator g(100);
  Generator next(101);
  const double limit = 4 / std::sqrt(100000.0);
  const auto x = test::doubles(weft::rand({100000}, Cpu{}, g));
  const auto y = test::doubles(weft::rand({100000}, Cpu{}, g));
  const auto z = test::doubles(weft::rand({100000}, Cpu{}, next));
  CHECK(std::fabs(correlation(x, y)) < limit);
  CHECK(std::fabs(correlation(x, z)) < limit);
  CHECK(x != y);
}

TEST_CASE("randint takes each integer of its range as often") {
  Generator g(8);
  const auto dice = weft::randint<std::uint8_t>(1, 7, {60000}, Cpu{}, g).to_vector();
  std::vector<double> counts(6);
  for (int v : dice) {
    REQUIRE(v >= 1);
    REQUIRE(v <= 6);
    counts[static_cast<std::size_t>(v - 1)] += 1;
  }
  CHECK(std::fabs(unevenness(counts)) < 4);

  const auto bytes = weft::randint<std::int8_t>(-128, 128, {100000}, Cpu{}, g).to_vector();
  counts.assign(256, 0);
  for (int v : bytes) counts[static_cast<std::size_t>(v + 128)] += 1;
  CHECK(std::fabs(unevenness(counts)) < 4);

  // Three quarters of 2^64: 64 bits alone would favour some numbers by two to one.
  const std::int64_t half_range = std::int64_t{3} << 61;
  const auto wide = weft::randint(-half_range, half_range, {60000}, Cpu{}, g).to_vector();
  counts.assign(6, 0);
  for (std::int64_t v : wide) {
    REQUIRE(v >= -half_range);
    REQUIRE(v < half_range);
    counts[static_cast<std::size_t>(std::ldexp(static_cast<double>(v), -62) * 2 + 3)] += 1;
  }
  CHECK(std::fabs(unevenness(counts)) < 4);
  std::vector<double> low_bits(8);
  for (std::int64_t v : wide) low_bits[static_cast<std::size_t>(v & 7)] += 1;
  CHECK(std::fabs(unevenness(low_bits)) < 4);
  CHECK(weft::randint(5, 6, {3}).to_vector() == std::vector<std::int64_t>{5, 5, 5});
}

TEST_CASE("randint's multiplication is exact") {
  __extension__ using Wide = unsigned __int128;
  test::Numbers numbers;
  for (int i = 0; i < 20000; ++i) {
    const weft::Draw draw{numbers.bits(), numbers.bits()};
    const std::uint64_t count = (numbers.bits() >> i % 64) | 1;
    const auto at = static_cast<long long>(numbers.bits() >> 1);
    const weft::op::integers<std::uint64_t> op{draw, 0, count};
    const Wide high = Wide{draw.bits64(static_cast<std::uint64_t>(at))} * count;
    const Wide low = Wide{draw.bits64(~static_cast<std::uint64_t>(at))} * count;
    const Wide sum = count >> 32 == 0 ? high : high + (low >> 64);
    REQUIRE(op.value(at) == static_cast<std::uint64_t>(sum >> 64));
  }
}

TEST_CASE_TEMPLATE("bernoulli is true with its probability", D, TEST_DEVICES) {
  Generator g(9);
  for (double p : {0.0, 0.1, 0.5, 0.9999, 1.0}) {
    const auto x = weft::bernoulli<float>(p, {100000}, D{}, g).to_vector();
    CAPTURE(p);
    CHECK(std::fabs(moment(test::doubles(x), 1) - p) <= 4 * std::sqrt(p * (1 - p) / 100000));
    for (float v : x) REQUIRE((v == 0 || v == 1));
  }
  const auto p = weft::tensor({{0.f, 0.2f, 1.f, -3.f, 7.f}}, D{}).expand({20000, 5});
  const auto x = weft::bernoulli<double>(p, g).to(Cpu{}).contiguous().to_vector();
  double sums[5] = {};
  for (std::size_t i = 0; i < x.size(); ++i) sums[i % 5] += x[i] / 20000;
  CHECK(sums[0] == 0);
  CHECK(std::fabs(sums[1] - 0.2) < 4 * 0.4 / std::sqrt(20000.0));
  CHECK(sums[2] == doctest::Approx(1));
  CHECK(sums[3] == 0);
  CHECK(sums[4] == doctest::Approx(1));
}

TEST_CASE("the _like forms take shape, element type and device") {
  const auto x = weft::zeros<double>({2, 3});
  CHECK(weft::rand_like(x).dtype() == weft::Dtype::float64);
  CHECK(weft::randn_like(x).shape() == x.shape());
  CHECK(weft::bernoulli_like(x, 1).to_vector() == std::vector<double>(6, 1));
  CHECK(weft::randint_like(weft::zeros<int>({4}), 3, 4).to_vector() ==
        std::vector<int>{3, 3, 3, 3});
}

TEST_CASE_TEMPLATE("a random expression keeps its values, and fuses", D, TEST_DEVICES) {
  Generator a(12);
  Generator b(12);
  const auto mask = weft::uniform({1001}, a) > 0.25f;
  const auto x = weft::arange<float>(1, 1002, 1, D{});
  weft::Tensor<float, D> first = weft::where(mask, x, 0);
  weft::Tensor<float, D> again = weft::where(mask, x, 0);
  CHECK(first.to_vector() == again.to_vector());
  const auto u = weft::rand({1001}, Cpu{}, b).to_vector();
  const auto y = first.to_vector();
  for (std::size_t i = 0; i < u.size(); ++i) CHECK((y[i] != 0) == (u[i] > 0.25f));

  weft::Tensor<float, D> noisy = x + weft::normal({1001}, a) * 0.f;
  CHECK(noisy.to_vector() == x.to_vector());
  weft::Tensor<bool, D> coin = weft::trials(weft::full({8}, 1.f, D{}), a);
  CHECK(coin.to_vector() == std::vector<bool>(8, true));
}

TEST_CASE_TEMPLATE("uniform and normal with bounds, mean and deviation", T, float, double,
                   weft::half) {
  Generator a(14);
  Generator b(14);
  const weft::Tensor<T> x = weft::uniform<T>({500}, -3, 5.5, a);
  const weft::Tensor<T> y = weft::normal<T>({500}, 10, 0.5, a);
  const auto u = weft::uniform<T>({500}, b).to_vector();
  const auto n = weft::normal<T>({500}, b).to_vector();
  using C = weft::compute_t<T>;
  const C close = static_cast<C>(std::is_same_v<T, weft::half> ? 0.02 : 1e-5);
  for (std::size_t i = 0; i < u.size(); ++i) {
    const auto at = static_cast<int64_t>(i);
    CHECK(std::abs(C(x(at).item()) - (C(-3) + C(8.5) * C(u[i]))) <= close);
    CHECK(std::abs(C(y(at).item()) - (C(10) + C(0.5) * C(n[i]))) <= close);
  }
  CHECK(C(min(x).item()) >= -3);
  CHECK(C(max(x).item()) <= C(5.5));
}

TEST_CASE_TEMPLATE("a draw broadcasts and goes into views", D, TEST_DEVICES) {
  Generator a(13);
  Generator b(13);
  auto x = weft::zeros<float>({4, 3}, D{});
  x.t().assign(weft::uniform({3, 4}, a));
  CHECK(x.t().contiguous().to_vector() == weft::rand({3, 4}, Cpu{}, b).to_vector());
  x.assign(weft::uniform({3}, a));
  const auto row = weft::rand({3}, Cpu{}, b).to_vector();
  const auto all = x.to_vector();
  for (std::size_t i = 0; i < all.size(); ++i) CHECK(all[i] == row[i % 3]);
}

TEST_CASE("manual_seed starts the default generator again") {
  weft::manual_seed(31);
  const auto x = weft::rand({5}).to_vector();
  const auto y = weft::randn({5}).to_vector();
  weft::manual_seed(31);
  CHECK(weft::rand({5}).to_vector() == x);
  CHECK(weft::randn({5}).to_vector() == y);
  Generator g(31);
  CHECK(weft::rand({5}, Cpu{}, g).to_vector() == x);
  weft::manual_seed(0);
}

TEST_CASE("rand beside the C library's, with using namespace") {
  using namespace weft;
  CHECK(rand({2, 3}).size() == 6);
  CHECK(rand<double>({2}).dtype() == Dtype::float64);
  CHECK(rand() >= 0);
}

TEST_CASE("what random numbers refuse") {
  CHECK_SAYS("[randint] low 3 and high 3, expected low < high", weft::randint(3, 3, {2}));
  CHECK_SAYS("[randint] integers from 0 to 256 do not fit in uint8",
             weft::randint<std::uint8_t>(0, 257, {2}));
  CHECK_SAYS("[bernoulli] probability 1.5, expected 0 to 1", weft::bernoulli(1.5, {2}));
  CHECK_SAYS("[bernoulli] probability", weft::bernoulli(NAN, {2}));
}
