// Matrix products on the GPU, by cuBLASLt; the speed is in TFLOP/s.
// SPDX-License-Identifier: Apache-2.0
#include "weft/cuda/matmul.hpp"

#include "bench.hpp"

using bench::expect;
using bench::filled;
using bench::Gpu;
using bench::make_sets;
using bench::measure;
using weft::bfloat16;
using weft::Cuda;
using weft::empty;
using weft::int64_t;

namespace {

/// What measure() makes TFLOP/s of.
double work(int64_t m, int64_t n, int64_t k) {
  return 2e-3 * static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k);
}

/// What an element of an operand of type T holds.
template <class T>
double input(unsigned operand, int64_t i) {
  return double{sizeof(T) == 2 ? bench::short_input(operand, i) : bench::input(operand, i)};
}

/// Square matrices; errors of float grow with the square root of n.
template <class T>
void gemm(const char* name, int64_t n, double tolerance) {
  struct Set {
    Gpu<T> x, y, z;
  };
  auto sets = make_sets([n](unsigned seed) {
    return Set{filled<T>({n, n}, seed), filled<T>({n, n}, seed + 1), empty<T>({n, n}, Cuda{})};
  });
  measure(name, work(n, n, n), sets, [](Set& s) { s.z = matmul(s.x, s.y); },
          {expect(sets[0].z, tolerance, [n](int64_t i) {
            double sum = 0;
            for (int64_t k = 0; k < n; ++k) {
              sum += input<T>(0, i / n * n + k) * input<T>(1, k * n + i % n);
            }
            return sum;
          })});
}
void gemm_fp32() { gemm<float>("gemm_fp32", 8192, 1e-3); }
void gemm_tf32() {
  const weft::cuda::Tf32Guard allowed;
  gemm<float>("gemm_tf32", 8192, 0.1);
}
void gemm_bf16() { gemm<bfloat16>("gemm_bf16", 8192, 6e-3); }
void gemm_1024_fp32() { gemm<float>("gemm_1024_fp32", 1024, 1e-4); }
void gemm_1024_bf16() { gemm<bfloat16>("gemm_1024_bf16", 1024, 6e-3); }

double gelu(double x) {
  return 0.5 * x * (1 + std::tanh(0.7978845608028654 * (x + 0.044715 * x * x * x)));
}

template <class F>
void linear(const char* name, int64_t rows, int64_t in, int64_t out, const F& statement) {
  struct Set {
    Gpu<bfloat16> x, weight, bias, y;
  };
  auto sets = make_sets([&](unsigned seed) {
    return Set{filled<bfloat16>({rows, in}, seed), filled<bfloat16>({out, in}, seed + 1),
               filled<bfloat16>({out}, seed + 2), empty<bfloat16>({rows, out}, Cuda{})};
  });
  measure(name, work(rows, out, in), sets, statement,
          {expect(sets[0].y, 1e-2, [in, out](int64_t i) {
            double sum = input<bfloat16>(2, i % out);
            for (int64_t k = 0; k < in; ++k) {
              sum += input<bfloat16>(0, i / out * in + k) * input<bfloat16>(1, i % out * in + k);
            }
            return gelu(sum);
          })});
}
void linear_gelu_bf16() {
  linear("linear_gelu_bf16", 16384, 4096, 4096,
         [](auto& s) { s.y = gelu_tanh(weft::linear(s.x, s.weight, s.bias)); });
}
void linear_gelu_256() {
  linear("linear_gelu_256", 256, 512, 512,
         [](auto& s) { s.y = gelu_tanh(weft::linear(s.x, s.weight, s.bias)); });
}

/// The products of attention: 256 heads, 512 by 64 by 512.
void bmm_bf16() {
  constexpr int64_t batch = 256;
  constexpr int64_t n = 512;
  constexpr int64_t k = 64;
  struct Set {
    Gpu<bfloat16> x, y, z;
  };
  auto sets = make_sets([](unsigned seed) {
    return Set{filled<bfloat16>({batch, n, k}, seed), filled<bfloat16>({batch, n, k}, seed + 1),
               empty<bfloat16>({batch, n, n}, Cuda{})};
  });
  measure("bmm_bf16", batch * work(n, n, k), sets,
          [](Set& s) { s.z = matmul(s.x, s.y.transpose(1, 2)); },
          {expect(sets[0].z, 6e-3, [](int64_t i) {
            double sum = 0;
            for (int64_t c = 0; c < k; ++c) {
              sum += input<bfloat16>(0, i / n * k + c) *
                     input<bfloat16>(1, (i / (n * n) * n + i % n) * k + c);
            }
            return sum;
          })});
}

}  // namespace

int main(int argc, char** argv) {
  bench::timed_milliseconds = 30;
  bench::rest = std::chrono::seconds(1);
  return bench::main(argc, argv,
                     {{"gemm_fp32", gemm_fp32},
                      {"gemm_tf32", gemm_tf32},
                      {"gemm_bf16", gemm_bf16},
                      {"gemm_1024_fp32", gemm_1024_fp32},
                      {"gemm_1024_bf16", gemm_1024_bf16},
                      {"linear_gelu_bf16", linear_gelu_bf16},
                      {"linear_gelu_256", linear_gelu_256},
                      {"bmm_bf16", bmm_bf16}});
}
