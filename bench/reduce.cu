// Reductions on the GPU, as a user writes them, evaluated into an existing result.
// SPDX-License-Identifier: Apache-2.0
#include "weft/cuda/reduce.hpp"

#include "bench.hpp"

using bench::expect;
using bench::filled;
using bench::Gpu;
using bench::make_sets;
using bench::measure;
using bench::sum_of;
using weft::axis;
using weft::Cuda;
using weft::empty;
using weft::int64_t;

namespace {

constexpr int64_t n = 1 << 28;
constexpr int64_t side = 1 << 14;
constexpr double gigabyte = sizeof(float) * n;  // one operand of n floats

// Positive inputs, so that an error relative to the sum is one relative to the terms.
double input(unsigned operand, int64_t i) {
  return double{bench::input(operand, i, bench::Range::unit)};
}
Gpu<> positive(const weft::Shape& shape, unsigned seed) {
  return filled(shape, seed, bench::Range::unit);
}

template <class T = float>
struct Set {
  Gpu<> x;
  Gpu<T> z;
};
template <class T = float>
auto sets_of(const weft::Shape& shape, const weft::Shape& result) {
  return make_sets([&](unsigned seed) {
    return Set<T>{positive(shape, seed), empty<T>(result, Cuda{})};
  });
}

void sum() {
  auto sets = sets_of({n}, {});
  measure("sum", gigabyte, sets, [](Set<>& s) { s.z = sum(s.x); },
          {expect(sets[0].z, 1e-6,
                  [](int64_t) { return sum_of(n, [](int64_t i) { return input(0, i); }); })});
}

void sumexp() {
  auto sets = sets_of({n}, {});
  measure("sumexp", gigabyte, sets, [](Set<>& s) { s.z = sum(exp(s.x - 0.5F)); },
          {expect(sets[0].z, 1e-6, [](int64_t) {
            return sum_of(n, [](int64_t i) { return std::exp(input(0, i) - 0.5); });
          })});
}

void dot() {
  struct Operands {
    Gpu<> x, y, z;
  };
  auto sets = make_sets([](unsigned seed) {
    return Operands{positive({n}, seed), positive({n}, seed + 1), empty({}, Cuda{})};
  });
  measure("dot", 2 * gigabyte, sets, [](Operands& s) { s.z = sum(s.x * s.y); },
          {expect(sets[0].z, 1e-6, [](int64_t) {
            return sum_of(n, [](int64_t i) { return input(0, i) * input(1, i); });
          })});
}

// Some sixteen elements share the largest value: the first of them counts.
double first_largest() {
  std::vector<int64_t> best(std::max(1U, std::thread::hardware_concurrency()));
  const int parts = bench::in_parallel(n, [&](int64_t part, int64_t begin, int64_t end) {
    int64_t at = begin;
    for (int64_t i = begin; i < end; ++i) at = input(0, i) > input(0, at) ? i : at;
    best[static_cast<std::size_t>(part)] = at;
  });
  int64_t at = best[0];
  for (int p = 1; p < parts; ++p) {
    const int64_t i = best[static_cast<std::size_t>(p)];
    at = input(0, i) > input(0, at) ? i : at;
  }
  return static_cast<double>(at);
}

void argmax() {
  auto sets = sets_of<int64_t>({n}, {});
  measure("argmax", gigabyte, sets, [](Set<int64_t>& s) { s.z = argmax(s.x); },
          {expect(sets[0].z, 0, [](int64_t) { return first_largest(); })});
}

void rows(const char* name, int64_t height, int64_t width) {
  auto sets = sets_of({height, width}, {height});
  const auto elements = static_cast<double>(height * (width + (width <= 16 ? 1 : 0)));
  measure(name, sizeof(float) * elements, sets, [](Set<>& s) { s.z = sum(s.x, axis(-1)); },
          {expect(sets[0].z, 1e-6, [width](int64_t row) {
            return sum_of(width, [&](int64_t i) { return input(0, row * width + i); });
          })});
}
void rowsum() { rows("rowsum", side, side); }
void rowsum_narrow() { rows("rowsum_narrow", 1 << 22, 64); }
void rowsum_wide() { rows("rowsum_wide", 16, 1 << 24); }
void rowsum_2() { rows("rowsum_2", n / 2, 2); }
void rowsum_16() { rows("rowsum_16", n / 16, 16); }
void rowsum_128() { rows("rowsum_128", n / 128, 128); }
void rowsum_odd() { rows("rowsum_odd", side, side - 1); }
void rowsum_few() { rows("rowsum_few", 200, 1'300'000); }

void rowsum_bf16() {
  struct Operands {
    Gpu<weft::bfloat16> x;
    Gpu<weft::bfloat16> z;
  };
  auto sets = make_sets([](unsigned seed) {
    return Operands{filled<weft::bfloat16>({2 * side, side}, seed),
                    empty<weft::bfloat16>({2 * side}, Cuda{})};
  });
  measure("rowsum_bf16", gigabyte, sets, [](Operands& s) { s.z = sum(s.x, axis(-1)); },
          {expect(sets[0].z, 4e-3, [](int64_t row) {
            return sum_of(side, [&](int64_t i) { return bench::short_input(0, row * side + i); });
          })});
}

void colsum() {
  auto sets = sets_of({side, side}, {side});
  measure("colsum", gigabyte, sets, [](Set<>& s) { s.z = sum(s.x, axis(0)); },
          {expect(sets[0].z, 1e-6, [](int64_t column) {
            return sum_of(side, [&](int64_t i) { return input(0, i * side + column); });
          })});
}

void midsum() {
  constexpr int64_t outer = 64, middle = 4096, inner = n / outer / middle;
  auto sets = sets_of({outer, middle, inner}, {outer, inner});
  measure("midsum", gigabyte, sets, [](Set<>& s) { s.z = sum(s.x, axis(1)); },
          {expect(sets[0].z, 1e-6, [](int64_t at) {
            const int64_t first = at / inner * middle * inner + at % inner;
            return sum_of(middle, [&](int64_t i) { return input(0, first + i * inner); });
          })});
}

double mean_of(int64_t row) {
  return sum_of(side, [&](int64_t i) { return input(0, row * side + i); }) / side;
}
double variance_of(int64_t row) {
  const double mean = mean_of(row);
  const double squares = sum_of(side, [&](int64_t i) {
    const double distance = input(0, row * side + i) - mean;
    return distance * distance;
  });
  return squares / (side - 1);
}

void rowvar() {
  auto sets = sets_of({side, side}, {side});
  measure("rowvar", gigabyte, sets, [](Set<>& s) { s.z = var(s.x, axis(-1)); },
          {expect(sets[0].z, 1e-6, variance_of)});
}

}  // namespace

int main(int argc, char** argv) {
  return bench::main(argc, argv,
                     {{"sum", sum},
                      {"sumexp", sumexp},
                      {"dot", dot},
                      {"argmax", argmax},
                      {"rowsum", rowsum},
                      {"rowsum_narrow", rowsum_narrow},
                      {"rowsum_wide", rowsum_wide},
                      {"rowsum_2", rowsum_2},
                      {"rowsum_16", rowsum_16},
                      {"rowsum_128", rowsum_128},
                      {"rowsum_odd", rowsum_odd},
                      {"rowsum_few", rowsum_few},
                      {"rowsum_bf16", rowsum_bf16},
                      {"colsum", colsum},
                      {"midsum", midsum},
                      {"rowvar", rowvar}});
}
