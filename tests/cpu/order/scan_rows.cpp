// SPDX-License-Identifier: Apache-2.0
#include <weft/cpu/order/scan_rows.hpp>

#include <cmath>

#include "array.hpp"
#include "weft/weft.hpp"

using namespace weft;

namespace {
/// The largest distance between a scan's values and a loop's in double, over the largest value.
template <class Scan, class Step>
double error_of(const Shape& shape, int along, const Scan& scan, const Step& step) {
  const Tensor<float> x = (sin(arange<float>(shape.size())) + 0.1F).eval().reshape(shape);
  const Tensor<float> y = scan(x, axis(along));
  const std::int64_t length = shape[along];
  std::int64_t inner = 1;
  for (int d = along + 1; d < shape.rank(); ++d) inner *= shape[d];
  double most = 0;
  double size = 1e-30;
  for (std::int64_t k = 0; k < shape.size() / length; ++k) {
    const std::int64_t first = k / inner * inner * length + k % inner;
    double running = 0;
    for (std::int64_t i = 0; i < length; ++i) {
      const std::int64_t at = first + i * inner;
      running = step(i == 0, running, static_cast<double>(x.data()[at]));
      most = std::max(most, std::abs(running - static_cast<double>(y.data()[at])));
      size = std::max(size, std::abs(running));
    }
  }
  return most / size;
}
}  // namespace

TEST_CASE("turned rows, rows side by side, and rows in pieces, on one thread and on several") {
  const auto sums = [](const auto& x, const Axes& a) { return cumsum(x, a); };
  const auto logs = [](const auto& x, const Axes& a) { return logcumsumexp(x, a); };
  const auto add = [](bool, double sum, double x) { return sum + x; };
  const auto log_add = [](bool first, double sum, double x) {
    return first ? x : std::max(sum, x) + std::log1p(std::exp(-std::abs(sum - x)));
  };
  const std::pair<Shape, int> cases[] = {{{37, 70}, 1}, {{5, 9, 64}, 2}, {{3, 130}, 1},
                                         {{70000}, 0},  {{2, 20000}, 1}, {{9000, 3}, 0},
                                         {{40, 65}, 0}, {{40, 2048}, 1}};
  for (const int threads : {1, 4}) {
    set_num_threads(threads);
    for (const auto& [shape, along] : cases) {
      CHECK(error_of(shape, along, sums, add) < 1e-7);
      CHECK(error_of(shape, along, logs, log_add) < 2e-6);
    }
  }
  set_num_threads(0);
}

TEST_CASE("the bits of a long scan depend on no number of threads") {
  const Tensor<float> x = sin(arange<float>(200001));
  set_num_threads(1);
  const auto one = cumsum(x).eval();
  set_num_threads(5);
  const auto five = cumsum(x).eval();
  set_num_threads(0);
  CHECK(equal(one, five));
}

TEST_CASE("a long product of factors near 1 loses no more in pieces than factor by factor") {
  const Tensor<float> x = sin(arange<float>(300000) * 1.7F) * 0.001F + 1.0F;
  const auto y = cumprod(x).eval();
  double product = 1;
  double error = 0;
  for (std::int64_t i = 0; i < x.size(); ++i) {
    product *= static_cast<double>(x.data()[i]);
    error = std::max(error, std::abs(static_cast<double>(y.data()[i]) / product - 1));
  }
  CHECK(error < 2e-5);
}

TEST_CASE("NaN and infinities of turned logcumsumexp stay as they come") {
  Tensor<float> x = zeros<float>({8, 6});
  const float inf = math::infinity<float>;
  for (std::int64_t i = 0; i < 6; ++i) x.data()[i] = i < 2 ? -inf : 0;
  x.data()[6 + 3] = math::nan<float>;
  x.data()[12 + 3] = inf;
  const auto y = logcumsumexp(x, axis(1)).eval();
  CHECK(y(0, 0).item() == -inf);
  CHECK(y(0, 1).item() == -inf);
  CHECK(y(0, 2).item() == 0);
  CHECK(y(0, 5).item() == doctest::Approx(std::log(4.0)));
  CHECK(std::isnan(y(1, 3).item()));
  CHECK(std::isnan(y(1, 5).item()));
  CHECK(y(1, 2).item() == doctest::Approx(std::log(3.0)));
  CHECK(y(2, 5).item() == inf);
}

TEST_CASE("a product beyond float's range comes back into it, however rows are cut") {
  for (const int n : {1000, 1500, 20000}) {
    CAPTURE(n);
    Tensor<float> x = ones({n});
    x(0) = x(1) = 1e20F;
    x(600) = x(601) = 1e-20F;
    const Tensor<float> y = cumprod(x, axis(0));
    CHECK(y(300).item() == math::infinity<float>);
    CHECK(y(700).item() == doctest::Approx(1));
    CHECK(y(n - 1).item() == doctest::Approx(1));
  }
}

TEST_CASE("rows of 16-bit numbers") {
  const auto check = [](auto number, double most) {
    using T = decltype(number);
    for (const Shape& shape : {Shape{37, 70}, Shape{40, 2048}, Shape{3, 33}, Shape{1, 20000}}) {
      const auto x = cast<T>(sin(arange<float>(shape.size())) + 0.1F).eval().reshape(shape);
      const auto expected = cumsum(cast<double>(x), axis(1)).eval();
      CHECK(max(abs(cast<double>(cumsum(x, axis(1))) - expected) / (abs(expected) + 0.01)).item() <
            most);
      const auto highest = cummax(x, axis(1)).eval();
      CHECK(all(highest == cast<T>(cummax(cast<float>(x), axis(1)))).item());
    }
    auto odd = ones<T>({33, 40});
    odd(2, 7) = T(NAN);
    odd(4, 0) = T(INFINITY);
    const auto sums = cumsum(odd, axis(1)).eval();
    for (int r = 0; r < 33; ++r) {
      for (int i = 0; i < 40; ++i) {
        const float sum = static_cast<float>(sums(r, i).item());
        if (r == 2 && i >= 7) {
          CHECK(std::isnan(sum));
        } else {
          CHECK(sum == (r == 4 ? INFINITY : static_cast<float>(i + 1)));
        }
      }
    }
  };
  check(weft::half{}, 1e-3);
  check(bfloat16{}, 8e-3);
}
