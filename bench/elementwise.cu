// Element-wise statements on the GPU, as a user writes them, evaluated into an existing result.
// SPDX-License-Identifier: Apache-2.0
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
using weft::Cuda;
using weft::empty;
using weft::int64_t;

namespace {

constexpr int64_t n = 1 << 28;
constexpr int64_t side = 1 << 14;
constexpr double gigabyte = sizeof(float) * n;  // one operand of n floats

struct Pair {
  Gpu<> x, y;
};
struct Triple {
  Gpu<> x, y, z;
};

// What a copy of CUDA's own reaches here: the yardstick of the rows below.
void memory_copy() {
  auto sets = make_sets([](unsigned seed) { return Pair{filled({n}, seed), empty({n}, Cuda{})}; });
  measure(
      "copy", 2 * gigabyte, sets,
      [](Pair& s) {
        const cudaStream_t stream = weft::cuda::current_stream().handle();
        cudaMemcpyAsync(s.y.data(), s.x.data(), n * sizeof(float), cudaMemcpyDeviceToDevice,
                        stream);
      },
      {expect(sets[0].y, 0, [](int64_t i) { return input(0, i); })}, "cudaMemcpyAsync");
}

void copy() {
  auto sets = make_sets([](unsigned seed) { return Pair{filled({n}, seed), empty({n}, Cuda{})}; });
  measure("copy", 2 * gigabyte, sets, [](Pair& s) { s.y.assign(s.x); },
          {expect(sets[0].y, 0, [](int64_t i) { return input(0, i); })});
}

void axpy() {
  auto sets = make_sets([](unsigned seed) {
    return Pair{filled({n}, seed), filled({n}, seed + 1)};
  });
  measure("axpy", 3 * gigabyte, sets, [](Pair& s) { s.y = 0.75F * s.x + s.y; },
          {expect(
              sets[0].y, 1e-6, [](int64_t i) { return 0.75 * input(0, i) + input(1, i); }, true)});
}

void chain() {
  auto sets = make_sets([](unsigned seed) {
    return Triple{filled({n}, seed), filled({n}, seed + 1), empty({n}, Cuda{})};
  });
  measure("chain", 3 * gigabyte, sets,
          [](Triple& s) { s.z = tanh(s.x * s.y + 0.3F) * exp(-s.x * s.x) + 0.5F; },
          {expect(sets[0].z, 1e-6, [](int64_t i) {
            const double x = input(0, i);
            return std::tanh(x * input(1, i) + double{0.3F}) * std::exp(-x * x) + 0.5;
          })});
}

void gelu_bf16() {
  struct Set {
    Gpu<weft::bfloat16> x, y;
  };
  auto sets = make_sets([](unsigned seed) {
    return Set{filled<weft::bfloat16>({n}, seed), empty<weft::bfloat16>({n}, Cuda{})};
  });
  measure("gelu_bf16", 2.0 * n * sizeof(weft::bfloat16), sets, [](Set& s) { s.y = gelu_tanh(s.x); },
          {expect(sets[0].y, 0x1.1p-9, [](int64_t i) {
            const double x = bench::short_input(0, i);
            const double u = std::sqrt(2 / std::acos(-1.0)) * (x + 0.044715 * x * x * x);
            return 0.5 * x * (1 + std::tanh(u));
          })});
}

void adam() {
  auto sets = make_sets([](unsigned seed) { return Adam::make(n / 2, seed); });
  measure("adam", 3.5 * gigabyte, sets,
          [](Adam& s) {
            const auto m = Adam::beta1 * s.m + (1 - Adam::beta1) * s.g;
            const auto v = Adam::beta2 * s.v + (1 - Adam::beta2) * square(s.g);
            tie(s.p, s.m, s.v) = fuse(s.p - Adam::rate * m / (sqrt(v) + Adam::epsilon), m, v);
          },
          {expect(sets[0].m, 1e-6, Adam::new_m, true), expect(sets[0].v, 1e-6, Adam::new_v, true),
           expect(sets[0].p, 1e-6, Adam::new_p, true)});
}

void sincos() {
  auto sets = make_sets([](unsigned seed) {
    return Triple{filled({n}, seed), empty({n}, Cuda{}), empty({n}, Cuda{})};
  });
  measure("sincos", 3 * gigabyte, sets, [](Triple& s) { tie(s.y, s.z) = fuse(sin(s.x), cos(s.x)); },
          {expect(sets[0].y, 1e-6, [](int64_t i) { return std::sin(double{input(0, i)}); }),
           expect(sets[0].z, 1e-6, [](int64_t i) { return std::cos(double{input(0, i)}); })});
}

void bnorm() {
  struct Set {
    Gpu<> x, mean, variance, weight, bias, y;
  };
  auto sets = make_sets([](unsigned seed) {
    return Set{
        filled({side, side}, seed), filled({side}, seed + 1), filled({side}, seed + 2, Range::unit),
        filled({side}, seed + 3),   filled({side}, seed + 4), empty({side, side}, Cuda{})};
  });
  measure("bnorm", 2 * gigabyte, sets,
          [](Set& s) { s.y = (s.x - s.mean) * rsqrt(s.variance + 1e-5F) * s.weight + s.bias; },
          {expect(sets[0].y, 1e-6, [](int64_t i) {
            const int64_t j = i % side;
            const double scale = 1 / std::sqrt(input(2, j, Range::unit) + double{1e-5F});
            return (double{input(0, i)} - input(1, j)) * scale * input(3, j) + input(4, j);
          })});
}

void transpose_add() {
  auto sets = make_sets([](unsigned seed) {
    return Triple{filled({side, side}, seed), filled({side, side}, seed + 1),
                  empty({side, side}, Cuda{})};
  });
  measure("transpose_add", 3 * gigabyte, sets, [](Triple& s) { s.z = s.x.t() + s.y; },
          {expect(sets[0].z, 1e-6, [](int64_t i) {
            return double{input(0, i % side * side + i / side)} + input(1, i);
          })});
}

}  // namespace

int main(int argc, char** argv) {
  return bench::main(argc, argv,
                     {{"copy", memory_copy},
                      {"copy", copy},
                      {"axpy", axpy},
                      {"chain", chain},
                      {"gelu_bf16", gelu_bf16},
                      {"adam", adam},
                      {"sincos", sincos},
                      {"bnorm", bnorm},
                      {"transpose_add", transpose_add}});
}
