// MatX on the cases of bench/, on the inputs and with the clock and the checks of weft's own.
// SPDX-License-Identifier: Apache-2.0
#include <matx.h>
#if __has_include(<matx/version_config.h>)
#include <matx/version_config.h>
#endif

#include "bench.hpp"

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

void chain() {
  auto sets = sets_of({n}, {n}, Range::centred);
  measure(
      "chain", 3 * gigabyte, sets,
      [](Set& s) {
        auto x = vector(s.x);
        run(vector(s.z) = matx::tanh(x * vector(s.y) + 0.3F) * matx::exp(-x * x) + 0.5F);
      },
      {expect(sets[0].z, 1e-6,
              [](int64_t i) {
                const double x = input(0, i);
                return std::tanh(x * input(1, i) + double{0.3F}) * std::exp(-x * x) + 0.5;
              })},
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

void rowsum() {
  auto sets = sets_of({side, side}, {side}, Range::unit);
  measure(
      "rowsum", gigabyte, sets, [](Set& s) { run(vector(s.z) = matx::sum(matrix(s.x), {1})); },
      {expect(sets[0].z, 1e-6,
              [](int64_t row) {
                return sum_of(side, [&](int64_t i) { return unit(row * side + i); });
              })},
      "matx");
}

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
                      {"bnorm", bnorm},
                      {"transpose_add", transpose_add},
                      {"sumexp", sumexp},
                      {"rowsum", rowsum},
                      {"colsum", colsum},
                      {"softmax", softmax}});
}
