// SPDX-License-Identifier: Apache-2.0
#include "weft/cuda/rows/register_kernel.hpp"

#include <cmath>

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

TEST_CASE_TEMPLATE("rows of every length, of elements of every size [gpu] [sanitize]", T,
                   weft::bfloat16, weft::half, float, double) {
  const double tolerance = sizeof(T) == 2 ? 1e-2 : 1e-5;
  for (const std::int64_t n : {8, 24, 64, 136, 512, 1032, 4096, 8200, 40000, 131072}) {
    CAPTURE(n);
    const auto x = noise<T>({3, n}).on(Cuda{});
    CHECK(apart(softmax(x), by_rows(array(x), 2, test::softmax)) < tolerance);
  }
}

TEST_CASE_TEMPLATE("rows that are not full, aligned vectors [gpu] [sanitize]", T, weft::bfloat16,
                   weft::half, float, double) {
  const double tolerance = sizeof(T) == 2 ? 1e-2 : 1e-5;
  for (const std::int64_t n : {257, 258, 511, 1025, 4099, 9001}) {
    CAPTURE(n);
    const auto x = noise<T>({3, n}).on(Cuda{});
    CHECK(apart(softmax(x), by_rows(array(x), 2, test::softmax)) < tolerance);
  }
  for (const std::int64_t n : {264, 512, 4096}) {  // from an odd place, and every third element
    CAPTURE(n);
    const auto wide = noise<T>({5, 3 * n + 1}).on(Cuda{});
    const auto beside = wide(weft::all, weft::slice(1, n + 1));
    CHECK(apart(softmax(beside), by_rows(array(beside), 2, test::softmax)) < tolerance);
    const auto apart_by_3 = wide(weft::all, weft::slice(0, 3 * n, 3));
    CHECK(apart(softmax(apart_by_3), by_rows(array(apart_by_3), 2, test::softmax)) < tolerance);
    const auto reversed = wide(weft::all, weft::slice(0, n)).flip(1);
    CHECK(apart(softmax(reversed), by_rows(array(reversed), 2, test::softmax)) < tolerance);
  }
}

TEST_CASE_TEMPLATE("ragged rows of every short length, out of step with other operands [gpu]", T,
                   weft::bfloat16, float) {
  const float tolerance = sizeof(T) == 2 ? 0.05F : 2e-5F;
  for (std::int64_t n = 9; n <= 43; ++n) {
    CAPTURE(n);
    const auto wide = noise<T>({11, n + 3}).on(Cuda{});
    const auto x = wide.narrow(1, 1, n);
    const auto r = noise<T>({11, n}, 2).on(Cuda{});
    const auto w = noise<T>({n + 1}, 3).on(Cuda{}).narrow(0, 1, n);
    auto target = weft::zeros<T>({11, n + 2}, Cuda{});
    auto part = target.narrow(1, 1, n);
    const auto formula = [](const auto& x, const auto& r, const auto& w) {
      return layer_norm(x, w, w) + r * max(x, axis(-1), keepdims);
    };
    part.assign(formula(x, r, w));
    const Tensor<T> expected = formula(x.to(weft::Cpu{}), r.to(weft::Cpu{}), w.to(weft::Cpu{}));
    const Tensor<float> error =
        abs(weft::cast<float>(part.to(weft::Cpu{})) - weft::cast<float>(expected));
    CHECK(max(error).item() < tolerance);
    const auto beside = target.to(weft::Cpu{});
    for (const std::int64_t column : {std::int64_t{0}, n + 1}) {
      CHECK(beside(weft::all, column).to_vector() == std::vector<T>(11, T(0)));
    }
    const auto equal = weft::ones<T>({11, n}, Cuda{});
    const Tensor<float, Cuda> first = weft::cast<float>(equal - equal) +
                                      weft::cast<float>(argmax(equal, axis(-1), keepdims)) +
                                      weft::cast<float>(max(equal, axis(-1), keepdims));
    for (const float v : first.to_vector()) CHECK(v == 1);
  }
}

TEST_CASE_TEMPLATE("rows behind each other that share vectors, in place and inside of others [gpu]",
                   T, weft::bfloat16, weft::half, float) {
  const float tolerance = sizeof(T) == 2 ? 0.05F : 2e-5F;
  for (std::int64_t n = 17; n <= 101; n += n < 43 ? 1 : 13) {
    CAPTURE(n);
    for (const std::int64_t rows : {1, 2, 15, 130}) {
      CAPTURE(rows);
      const auto all = noise<T>({rows * n + 10}).on(Cuda{});
      const auto before = all.to(weft::Cpu{}).clone();
      const auto x = all.narrow(0, 5, rows * n).reshape({rows, n});
      const auto w = noise<T>({n}, 3).on(Cuda{});
      const Tensor<T> expected =
          layer_norm(x.to(weft::Cpu{}), w.to(weft::Cpu{}), w.to(weft::Cpu{}));
      const auto error = [&](const auto& y) {
        return max(abs(weft::cast<float>(y.to(weft::Cpu{})) - weft::cast<float>(expected))).item();
      };
      const Tensor<T, Cuda> z = layer_norm(x, w, w);
      CHECK(error(z) < tolerance);
      x.assign(layer_norm(x, w, w));
      CHECK(error(x) < tolerance);
      const auto after = all.to(weft::Cpu{});
      for (const auto& ends : {weft::slice(0, 5), weft::slice(rows * n + 5, rows * n + 10)}) {
        CHECK(after(ends).to_vector() == before(ends).to_vector());
      }
    }
  }
}

TEST_CASE("borrowed memory that ends within a vector is not read beyond its end [gpu] [sanitize]") {
  constexpr std::int64_t rows = 33;
  constexpr std::int64_t n = 57;
  float* mine = nullptr;
  REQUIRE(cudaMalloc(&mine, sizeof(float) * rows * n) == cudaSuccess);
  {
    const auto x = weft::borrow(mine, {rows, n}, Cuda{});
    x.assign(noise<float>({rows, n}).on(Cuda{}));
    CHECK(apart(softmax(x), by_rows(array(x), 2, test::softmax)) < 1e-5);
  }
  CHECK(cudaFree(mine) == cudaSuccess);
}

TEST_CASE("moments of many threads at once: a large mean, rows shorter than the threads [gpu]") {
  for (const std::int64_t n : {1, 2, 9, 40, 257, 1000, 5000, 40000}) {
    CAPTURE(n);
    const auto x = noise<float>({5, n}).on(Cuda{});
    const Tensor<float, Cuda> far = x + 4096.F;
    const auto normed = [](const auto& t) {
      return (t - mean(t, axis(-1), keepdims)) *
             rsqrt(var(t, axis(-1), weft::correction(0), keepdims) + 1.F);
    };
    const Tensor<float> expected = normed(far.to(weft::Cpu{}));
    const Tensor<float, Cuda> z = normed(far);
    CHECK(max(abs(z.to(weft::Cpu{}) - expected)).item() < 1e-3F);  // two units of the mean
    const Tensor<double> exact =
        var(weft::cast<double>(far.to(weft::Cpu{})), axis(-1), weft::correction(0));
    const Tensor<float, Cuda> spread =
        far * 0.F + var(far, axis(-1), weft::correction(0), keepdims);
    CHECK(max(abs(weft::cast<double>(spread.to(weft::Cpu{})(weft::all, 0)) - exact)).item() < 5e-4);
  }
}

TEST_CASE("rows that are not full, aligned vectors: what is computed, positions, outputs [gpu]") {
  for (const std::int64_t n : {261, 1023, 5003}) {
    CAPTURE(n);
    const auto x = noise<float>({7, n}).on(Cuda{});
    const auto wide = noise<float>({7, n + 1}).on(Cuda{});
    const auto h = wide(weft::all, weft::slice(1, n + 1));
    const auto w = noise<float>({n}).on(Cuda{});
    const auto b = noise<float>({n}).on(Cuda{});
    const auto to_cpu = [](const auto& t) { return t.to(weft::Cpu{}); };
    const auto cpu_x = to_cpu(x);
    const auto cpu_h = to_cpu(h);
    const auto cpu_w = to_cpu(w);
    const auto cpu_b = to_cpu(b);
    const Tensor<float, Cuda> normed = gelu(layer_norm(x / (square(tanh(h)) + 1.F), w, b));
    const Tensor<float> expected =
        gelu(layer_norm(cpu_x / (square(tanh(cpu_h)) + 1.F), cpu_w, cpu_b));
    CHECK(max(abs(to_cpu(normed) - expected)).item() < 2e-5F);
    const auto below = [](const auto& t) {
      return t - max(t, axis(-1), keepdims) + weft::cast<float>(argmax(t, axis(-1), keepdims));
    };
    const Tensor<float, Cuda> last = below(x);
    const Tensor<float> cpu_last = below(cpu_x);
    CHECK(max(abs(to_cpu(last) - cpu_last)).item() == 0);
    Tensor<weft::half, Cuda> low = weft::empty<weft::half>({7, n}, Cuda{});
    Tensor<float, Cuda> twice = weft::empty({7, n}, Cuda{});
    tie(low, twice) = fuse(cast<weft::half>(softmax(x * h)), softmax(x * h) * 2.F);
    const Tensor<float> p = softmax(cpu_x * cpu_h);
    CHECK(max(abs(cast<float>(to_cpu(low)) - p)).item() < 1e-3F);
    CHECK(max(abs(to_cpu(twice) - p * 2.F)).item() < 1e-6F);
  }
}

TEST_CASE("several reductions of one reading, also of rows longer than what is kept [gpu]") {
  for (const std::int64_t n : {12, 1000, 8192, 100000}) {
    CAPTURE(n);
    const auto x = noise<float>({300, n}).on(Cuda{});
    Tensor<float, Cuda> variance = weft::empty({300}, Cuda{});
    Tensor<float, Cuda> average = weft::empty({300}, Cuda{});
    tie(variance, average) = fuse(var(x, axis(-1)) * 1.F, mean(x, axis(-1)) * 1.F);
    CHECK(max(abs(variance - var(x, axis(-1)))).item() < 1e-5F);
    CHECK(max(abs(average - mean(x, axis(-1)))).item() < 1e-5F);
    const Tensor<float, Cuda> sums = logsumexp(x, axis(-1)) + sum(x, axis(-1));
    const Tensor<float, Cuda> expected = logsumexp(x, axis(-1)).eval() + sum(x, axis(-1)).eval();
    CHECK(max(abs(sums - expected)).item() < 1e-3F);
  }
}

TEST_CASE("totals of what rows come to, whose values are stored on the way [gpu] [sanitize]") {
  for (const std::int64_t n : {3, 8, 57, 64, 101, 512, 1032, 5000, 40000}) {
    CAPTURE(n);
    const auto x = noise<float>({37, n}).on(Cuda{});
    const auto y = noise<float>({37, n}, 2).on(Cuda{});
    const auto divergence = [](const auto& a, const auto& b) {
      return mean(sum(softmax(a) * (log_softmax(a) - log_softmax(b)), axis(-1)));
    };
    const auto largest = [](const auto& a, const auto& b) {
      return max(sum(square(a - mean(a, axis(-1), keepdims)) * b, axis(-1))) * 0.5F;
    };
    const auto check = [&](const auto& f) {
      const float expected = f(x.to(weft::Cpu{}), y.to(weft::Cpu{})).eval().item();
      const float found = f(x, y).eval().item();
      CHECK(std::abs(found - expected) <= 2e-5F * std::abs(expected));
    };
    check(divergence);
    check(largest);
  }
}

TEST_CASE("infinities and NaN in a row [gpu]") {
  const float inf = std::numeric_limits<float>::infinity();
  for (const std::int64_t n : {16, 512, 8192}) {
    CAPTURE(n);
    auto host = weft::zeros({4, n});
    for (std::int64_t i = 0; i < n; ++i) host(0, i) = -inf;
    host(1, n / 2) = -inf;
    host(2, n - 1) = inf;
    host(3, 1) = std::numeric_limits<float>::quiet_NaN();
    const auto x = host.to(Cuda{});
    const auto lse = (logsumexp(x, axis(-1)) * 1.F).eval().to_vector();
    CHECK(lse[0] == -inf);
    CHECK(lse[1] == doctest::Approx(std::log(static_cast<double>(n - 1))).epsilon(1e-5));
    CHECK(lse[2] == inf);
    CHECK(std::isnan(lse[3]));
    const auto p = softmax(x).eval().to_vector();
    CHECK(p[static_cast<std::size_t>(n + n / 2)] == 0);
    CHECK(std::isnan(p[static_cast<std::size_t>(3 * n)]));
  }
}

namespace {
/// softmax and its kin of a formula of three operands, one of them a single element for each row.
Row formula(const Row& x, const Row& y) {
  Row out = x;
  for (std::size_t i = 0; i < x.size(); ++i) out[i] = std::tanh(x[i]) * 3 + y[i] * y[0];
  return out;
}
}  // namespace

TEST_CASE_TEMPLATE("what several operands come to is computed once and kept [gpu] [sanitize]", T,
                   weft::half, float) {
  const double tolerance = sizeof(T) == 2 ? 1e-2 : 1e-5;
  for (const std::int64_t n : {8, 24, 64, 136, 1032, 5120, 40000, 131072}) {
    CAPTURE(n);
    const auto x = noise<T>({5, n});
    const auto y = noise<T>({5, n}, 2);
    const auto gx = x.on(Cuda{});
    const auto gy = y.on(Cuda{});
    const auto first = gy.narrow(1, 0, 1);
    auto expected = test::in_double(x);
    auto other = expected;  // where the formula's second value is of y and x
    for (std::size_t r = 0; r < 5; ++r) {
      const auto begin = static_cast<std::ptrdiff_t>(r * static_cast<std::size_t>(n));
      const Row a(x.values.begin() + begin, x.values.begin() + begin + n);
      const Row b(y.values.begin() + begin, y.values.begin() + begin + n);
      const Row values = formula(a, b);
      const Row soft = test::softmax(values);
      const double most = test::largest(formula(b, b));
      std::copy(soft.begin(), soft.end(), expected.values.begin() + begin);
      const Row shifted = test::each(values, [&](double v) { return v - most; });
      std::copy(shifted.begin(), shifted.end(), other.values.begin() + begin);
    }
    const auto of = [&](const auto& a) { return tanh(a) * 3.F + gy * first; };
    CHECK(apart(softmax(cast<float>(of(gx))), expected) < tolerance);
    CHECK(apart(cast<float>(of(gx)) - max(cast<float>(of(gy)), axis(-1), keepdims), other) <
          8 * tolerance);
  }
}

TEST_CASE("equal parts within what is kept, positions among its operands [gpu]") {
  for (const std::int64_t n : {64, 640, 12800}) {
    CAPTURE(n);
    const auto x = noise<float>({70, n});
    const auto gx = x.on(Cuda{});
    const auto b = noise<float>({n}, 3).on(Cuda{});
    const auto t = atan(gx);
    const auto f =
        where(t < b, t, b * 1.77F) + cast<float>(weft::arange<std::int32_t>(n, Cuda{}) % 3);
    const Tensor<float, Cuda> evaluated = f;
    const Tensor<float, Cuda> expected = layer_norm(evaluated, b, b);
    const Tensor<float, Cuda> got = layer_norm(f, b, b);
    CHECK(max(abs(got - expected)).item() < 1e-5F);
  }
}

namespace {
/// The divergence of the softmax of y from that of x, and softmax(x)'s gradient for y.
double divergence(const Row& x, const Row& y) {
  const Row p = test::log_softmax(x);
  const Row q = test::log_softmax(y);
  double sum = 0;
  for (std::size_t i = 0; i < p.size(); ++i) sum += std::exp(p[i]) * (p[i] - q[i]);
  return sum;
}
Row backward(const Row& x, const Row& y) {
  Row p = test::softmax(x);
  double sum = 0;
  for (std::size_t i = 0; i < p.size(); ++i) sum += p[i] * y[i];
  for (std::size_t i = 0; i < p.size(); ++i) p[i] *= y[i] - sum;
  return p;
}

/// f(row of x, row of y) for all rows, with the shape of x or, of single values, without its last
/// axis.
template <class T, class F>
test::Array<double> of_two(const test::Array<T>& x, const test::Array<T>& y, F f) {
  const auto n = static_cast<std::ptrdiff_t>(x.shape[1]);
  test::Array<double> out{x.shape, {}};
  for (std::int64_t r = 0; r < x.shape[0]; ++r) {
    const std::ptrdiff_t at = r * n;
    const std::ptrdiff_t from = y.shape[0] == 1 ? 0 : at;
    const auto value = f(Row(x.values.begin() + at, x.values.begin() + at + n),
                         Row(y.values.begin() + from, y.values.begin() + from + n));
    if constexpr (std::is_same_v<decltype(f(Row{}, Row{})), double>) {
      out.shape = {x.shape[0]};
      out.values.push_back(value);
    } else {
      out.values.insert(out.values.end(), value.begin(), value.end());
    }
  }
  return out;
}
}  // namespace

TEST_CASE_TEMPLATE("two operands are kept [gpu] [sanitize]", T, weft::bfloat16, float, double) {
  const double tolerance = sizeof(T) == 2 ? 2e-2 : 2e-5;
  for (const std::int64_t n : {8, 24, 100, 101, 264, 1032, 4099, 40000, 131072}) {
    CAPTURE(n);
    const auto x = noise<T>({5, n});
    const auto y = noise<T>({5, n}, 2);
    const auto one = noise<T>({1, n}, 3);
    const auto gx = x.on(Cuda{});
    const auto gy = y.on(Cuda{});
    const auto kl = [](const auto& a, const auto& b) {
      auto p = log_softmax(a, axis(-1));
      auto q = log_softmax(b, axis(-1));
      return sum(exp(p) * (p - q), axis(-1));
    };
    CHECK(apart(kl(gx, gy), of_two(x, y, divergence)) < tolerance);
    CHECK(apart(kl(gx, one.on(Cuda{})), of_two(x, one, divergence)) < tolerance);
    CHECK(apart(kl(gx, gx), of_two(x, x, divergence)) < tolerance);
    const auto p = softmax(gx);
    CHECK(apart(p * (gy - sum(p * gy, axis(-1), keepdims)), of_two(x, y, backward)) < tolerance);
    const auto product = [](const Row& a, const Row& b) {
      Row out = test::softmax(a);
      const Row other = test::softmax(b);
      for (std::size_t i = 0; i < out.size(); ++i) out[i] = (out[i] - other[i]) * a[i];
      return out;
    };
    CHECK(apart((softmax(gx) - softmax(gy)) * gx, of_two(x, y, product)) < tolerance);
  }
}

TEST_CASE("two operands out of step, three, and one that is the same along the row [gpu]") {
  for (const std::int64_t n : {100, 103, 1024}) {
    CAPTURE(n);
    const auto wide = noise<float>({6, n + 1}).on(Cuda{});
    const Tensor<float, Cuda> x = wide.narrow(1, 1, n);
    const auto y = noise<float>({6, n}, 2).on(Cuda{});
    const auto z = noise<float>({6, n}, 3).on(Cuda{});
    const auto number = noise<float>({6, 1}, 4).on(Cuda{}).expand({6, n});
    const auto formula = [](const auto& a, const auto& b, const auto& c) {
      return sum(softmax(a) * log_softmax(b) * (c + log_softmax(c)), axis(-1));
    };
    const auto to_cpu = [](const auto& t) { return t.to(weft::Cpu{}); };
    const auto check = [&](const auto& a, const auto& b, const auto& c) {
      const auto a_cpu = to_cpu(a);
      const auto b_cpu = to_cpu(b);
      const auto c_cpu = to_cpu(c);
      const Tensor<float> expected = formula(a_cpu, b_cpu, c_cpu);
      const Tensor<float, Cuda> got = formula(a, b, c);
      CHECK(max(abs(to_cpu(got) - expected)).item() < 2e-5F * max(abs(expected)).item());
    };
    check(wide.narrow(1, 1, n), y, y);
    check(x, y, wide.narrow(1, 1, n));
    check(x, y, y);
    check(x, y, x);
    check(x, y, z);
    check(x, number, x);
    check(number, x, y);
  }
}
