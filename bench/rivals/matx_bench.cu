// MatX on the cases of bench/, on the inputs and with the clock and the checks of weft's own.
// SPDX-License-Identifier: Apache-2.0
#include <matx.h>
#if __has_include(<matx/version_config.h>)
#include <matx/version_config.h>
#endif

#include "adam.hpp"
#include "bench.hpp"

using bench::Adam;
using bench::expect;
using bench::filled;
using bench::Gpu;
using bench::input;
using bench::make_sets;
using bench::measure;
using bench::Range;
using bench::sum_of;
using weft::int64_t;

namespace {

constexpr int64_t n = 1 << 28;
constexpr int64_t side = 1 << 14;
constexpr double gigabyte = sizeof(float) * n;  // one operand of n floats

// MatX's tensors over memory of weft's.
auto vector(const Gpu<>& x) { return matx::make_tensor<float>(x.data(), {x.shape()[0]}); }
auto matrix(const Gpu<>& x) {
  return matx::make_tensor<float>(x.data(), {x.shape()[0], x.shape()[1]});
}
auto scalar(const Gpu<>& x) { return matx::make_tensor<float>(x.data(), {}); }
auto short_vector(const Gpu<weft::bfloat16>& x) {
  return matx::make_tensor<matx::matxBf16>(reinterpret_cast<matx::matxBf16*>(x.data()),
                                           {x.shape()[0]});
}
Gpu<> result(const weft::Shape& shape) { return weft::empty(shape, weft::Cuda{}); }

/// Runs a statement on weft's stream.
template <class Statement>
void run(Statement statement) {
  const matx::cudaExecutor on{weft::cuda::current_stream().handle()};
  statement.run(on);
}

struct Set {
  Gpu<> x, y, z;
};
auto sets_of(const weft::Shape& shape, const weft::Shape& of_result, Range range) {
  return make_sets([=](unsigned seed) {
    return Set{filled(shape, seed, range), filled(shape, seed + 1, range), result(of_result)};
  });
}
auto unit(int64_t i) { return double{input(0, i, Range::unit)}; }

void copy() {
  auto sets = sets_of({n}, {n}, Range::centred);
  measure(
      "copy", 2 * gigabyte, sets, [](Set& s) { run(vector(s.z) = vector(s.x)); },
      {expect(sets[0].z, 0, [](int64_t i) { return input(0, i); })}, "matx");
}

void axpy() {
  auto sets = sets_of({n}, {1}, Range::centred);
  measure(
      "axpy", 3 * gigabyte, sets,
      [](Set& s) { run(vector(s.y) = 0.75F * vector(s.x) + vector(s.y)); },
      {expect(
          sets[0].y, 1e-6, [](int64_t i) { return 0.75 * input(0, i) + input(1, i); }, true)},
      "matx");
}

using Vector = decltype(vector(Gpu<>{}));
auto chain_of(const Vector& x, const Vector& y) {
  return matx::tanh(x * y + 0.3F) * matx::exp(-x * x) + 0.5F;
}
double chained(int64_t i) {
  const double x = input(0, i);
  return std::tanh(x * input(1, i) + double{0.3F}) * std::exp(-x * x) + 0.5;
}

void chain() {
  auto sets = sets_of({n}, {n}, Range::centred);
  measure(
      "chain", 3 * gigabyte, sets,
      [](Set& s) { run(vector(s.z) = chain_of(vector(s.x), vector(s.y))); },
      {expect(sets[0].z, 1e-6, chained)}, "matx");
}

// Microseconds of the host, as in small.cu: tensors and executor exist already.
void small_chain() {
  constexpr int64_t elements = 1024;
  auto operands = Set{filled({elements}, 0), filled({elements}, 1), result({elements})};
  const auto x = vector(operands.x);
  const auto y = vector(operands.y);
  auto z = vector(operands.z);
  const matx::cudaExecutor on{weft::cuda::current_stream().handle()};
  auto statement = [&] { (z = chain_of(x, y)).run(on); };
  const bench::Expected expected = expect(operands.z, 1e-6, chained);
  expected.before();
  statement();
  expected.after();
  double us = 1e30;
  for (int i = 0; i < 100; ++i) us = std::min(us, bench::host_microseconds(statement));
  const double error = expected.error();
  bench::print("small_chain", "matx", us * 1e-3, 0, 1, error, error <= expected.tolerance);
}

void gelu_bf16() {
  struct Operands {
    Gpu<weft::bfloat16> x, y;
  };
  auto sets = make_sets([](unsigned seed) {
    return Operands{filled<weft::bfloat16>({n}, seed),
                    weft::empty<weft::bfloat16>({n}, weft::Cuda{})};
  });
  measure(
      "gelu_bf16", gigabyte, sets,
      [](Operands& s) {
        auto x = matx::as_float(short_vector(s.x));
        auto u = 0.7978845608F * (x + 0.044715F * x * x * x);
        run(short_vector(s.y) = matx::as_type<matx::matxBf16>(0.5F * x * (1.0F + matx::tanh(u))));
      },
      {expect(sets[0].y, 0x1.1p-9,
              [](int64_t i) {
                const double x = bench::short_input(0, i);
                const double u = std::sqrt(2 / std::acos(-1.0)) * (x + 0.044715 * x * x * x);
                return 0.5 * x * (1 + std::tanh(u));
              })},
      "matx");
}

// One kernel: the statements joined by commas run in their order for each element, so that the
// parameters come first, before the moments that they are computed from change.
void adam() {
  auto sets = make_sets([](unsigned seed) { return Adam::make(n / 2, seed); });
  measure(
      "adam", 3.5 * gigabyte, sets,
      [](Adam& s) {
        auto g = vector(s.g);
        auto m = Adam::beta1 * vector(s.m) + (1 - Adam::beta1) * g;
        auto v = Adam::beta2 * vector(s.v) + (1 - Adam::beta2) * g * g;
        run((vector(s.p) = vector(s.p) - Adam::rate * m / (matx::sqrt(v) + Adam::epsilon),
             vector(s.m) = m, vector(s.v) = v));
      },
      {expect(sets[0].m, 1e-6, Adam::new_m, true), expect(sets[0].v, 1e-6, Adam::new_v, true),
       expect(sets[0].p, 1e-6, Adam::new_p, true)},
      "matx");
}

void bnorm() {
  struct Operands {
    Gpu<> x, mean, variance, weight, bias, y;
  };
  auto sets = make_sets([](unsigned seed) {
    return Operands{
        filled({side, side}, seed), filled({side}, seed + 1), filled({side}, seed + 2, Range::unit),
        filled({side}, seed + 3),   filled({side}, seed + 4), result({side, side})};
  });
  measure(
      "bnorm", 2 * gigabyte, sets,
      [](Operands& s) {
        auto row = [](const Gpu<>& v) {
          return matx::clone<2>(vector(v), {side, matx::matxKeepDim});
        };
        run(matrix(s.y) =
                (matrix(s.x) - row(s.mean)) * matx::rsqrt(row(s.variance) + 1e-5F) * row(s.weight) +
                row(s.bias));
      },
      {expect(sets[0].y, 1e-6,
              [](int64_t i) {
                const int64_t j = i % side;
                const double scale = 1 / std::sqrt(input(2, j, Range::unit) + double{1e-5F});
                return (double{input(0, i)} - input(1, j)) * scale * input(3, j) + input(4, j);
              })},
      "matx");
}

void transpose_add() {
  auto sets = sets_of({side, side}, {side, side}, Range::centred);
  measure(
      "transpose_add", 3 * gigabyte, sets,
      [](Set& s) {
        run(matrix(s.z) = matrix(s.x).Permute({1, 0}) + matrix(s.y));
      },
      {expect(
          sets[0].z, 1e-6,
          [](int64_t i) { return double{input(0, i % side * side + i / side)} + input(1, i); })},
      "matx");
}

void sum() {
  auto sets = sets_of({n}, {}, Range::unit);
  measure(
      "sum", gigabyte, sets, [](Set& s) { run(scalar(s.z) = matx::sum(vector(s.x))); },
      {expect(sets[0].z, 1e-6, [](int64_t) { return sum_of(n, unit); })}, "matx");
}

void sumexp() {
  auto sets = sets_of({n}, {}, Range::unit);
  measure(
      "sumexp", gigabyte, sets,
      [](Set& s) { run(scalar(s.z) = matx::sum(matx::exp(vector(s.x) - 0.5F))); },
      {expect(
          sets[0].z, 1e-6,
          [](int64_t) { return sum_of(n, [](int64_t i) { return std::exp(unit(i) - 0.5); }); })},
      "matx");
}

void dot() {
  auto sets = sets_of({n}, {}, Range::unit);
  measure(
      "dot", 2 * gigabyte, sets,
      [](Set& s) { run(scalar(s.z) = matx::sum(vector(s.x) * vector(s.y))); },
      {expect(sets[0].z, 1e-6,
              [](int64_t) {
                return sum_of(n, [](int64_t i) { return unit(i) * input(1, i, Range::unit); });
              })},
      "matx");
}

void rows(const char* name, int64_t height, int64_t width) {
  auto sets = sets_of({height, width}, {height}, Range::unit);
  measure(
      name, gigabyte, sets, [](Set& s) { run(vector(s.z) = matx::sum(matrix(s.x), {1})); },
      {expect(sets[0].z, 1e-6,
              [width](int64_t row) {
                return sum_of(width, [&](int64_t i) { return unit(row * width + i); });
              })},
      "matx");
}
void rowsum() { rows("rowsum", side, side); }
void rowsum_narrow() { rows("rowsum_narrow", n / 64, 64); }
void rowsum_wide() { rows("rowsum_wide", 16, n / 16); }

void colsum() {
  auto sets = sets_of({side, side}, {side}, Range::unit);
  measure(
      "colsum", gigabyte, sets, [](Set& s) { run(vector(s.z) = matx::sum(matrix(s.x), {0})); },
      {expect(sets[0].z, 1e-6,
              [](int64_t column) {
                return sum_of(side, [&](int64_t i) { return unit(i * side + column); });
              })},
      "matx");
}

void softmax() {
  constexpr int64_t width = 8192;
  auto sets = sets_of({16384, width}, {16384, width}, Range::centred);
  measure(
      "softmax", gigabyte, sets, [](Set& s) { run(matrix(s.z) = matx::softmax(matrix(s.x), {1})); },
      {expect(sets[0].z, 4e-6 / width,
              [](int64_t i) {
                const int64_t first = i / width * width;
                return std::exp(double{input(0, i)}) / sum_of(width, [&](int64_t j) {
                         return std::exp(double{input(0, first + j)});
                       });
              })},
      "matx");
}

void cumsum() {
  auto sets = sets_of({n}, {n}, Range::unit);
  auto sum = [begin = int64_t{0}, sum = 0.0](int64_t i) mutable {
    if (i < begin) begin = 0, sum = 0;
    sum += sum_of(i + 1 - begin, [&](int64_t k) { return unit(begin + k); });
    begin = i + 1;
    return sum;
  };
  measure(
      "cumsum", 2 * gigabyte, sets, [](Set& s) { run(vector(s.z) = matx::cumsum(vector(s.x))); },
      {expect(sets[0].z, 2e-6, sum)}, "matx");
}

}  // namespace

int main(int argc, char** argv) {
#if defined(MATX_VERSION_MAJOR)
  std::printf("{\"rival\": \"matx\", \"version\": \"%d.%d.%d\"}\n", MATX_VERSION_MAJOR,
              MATX_VERSION_MINOR, MATX_VERSION_PATCH);
#else
  std::puts("{\"rival\": \"matx\", \"version\": \"from source\"}");
#endif
  return bench::main(argc, argv,
                     {{"copy", copy},
                      {"axpy", axpy},
                      {"chain", chain},
                      {"gelu_bf16", gelu_bf16},
                      {"adam", adam},
                      {"bnorm", bnorm},
                      {"transpose_add", transpose_add},
                      {"sum", sum},
                      {"sumexp", sumexp},
                      {"dot", dot},
                      {"rowsum", rowsum},
                      {"rowsum_narrow", rowsum_narrow},
                      {"rowsum_wide", rowsum_wide},
                      {"colsum", colsum},
                      {"softmax", softmax},
                      {"cumsum", cumsum},
                      {"small_chain", small_chain}});
}
