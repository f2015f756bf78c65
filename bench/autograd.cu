// Forward and backward passes on the GPU: a chain of operations, softmax, layer norm, cross
// entropy. SPDX-License-Identifier: Apache-2.0
#include "weft/cuda/gradient.hpp"

#include "weft/autograd.hpp"

#include "bench.hpp"

using bench::expect;
using bench::filled;
using bench::Gpu;
using bench::input;
using bench::make_sets;
using bench::measure;
using bench::short_input;
using bench::sum_of;
using weft::bfloat16;
using weft::Cuda;
using weft::empty;
using weft::int64_t;
using weft::parameter;
using weft::Var;

namespace {

template <class T = float>
using GpuVar = Var<T, Cuda>;

void chain_bwd() {
  constexpr int64_t n = 1 << 26;
  struct Set {
    GpuVar<> x, y;
    Gpu<> g, z, dx, dy;
  };
  auto sets = make_sets([](unsigned seed) {
    return Set{parameter(filled({n}, seed)), parameter(filled({n}, seed + 1)),
               filled({n}, seed + 2),        empty({n}, Cuda{}),
               empty({n}, Cuda{}),           empty({n}, Cuda{})};
  });
  const auto gradient = [](int64_t i, bool of_x) {
    const double x = input(0, i);
    const double y = input(1, i);
    const double t = std::tanh(x * y + 0.3);
    const double e = std::exp(-x * x);
    return input(2, i) * (of_x ? (1 - t * t) * y * e - 2 * x * t * e : (1 - t * t) * x * e);
  };
  measure("chain_bwd", 8.0 * sizeof(float) * n, sets,
          [](Set& s) {
            s.x.zero_grad();
            s.y.zero_grad();
            s.dx = s.dy = {};  // their memory is free for this pass
            const Var z = tanh(s.x * s.y + 0.3F) * exp(-s.x * s.x) + 0.5F;
            s.z = z.detach();
            z.backward(s.g);
            s.dx = s.x.grad();
            s.dy = s.y.grad();
          },
          {expect(sets[0].dx, 4e-6, [=](int64_t i) { return gradient(i, true); }),
           expect(sets[0].dy, 4e-6, [=](int64_t i) { return gradient(i, false); })});
}

constexpr int64_t height = 16384;
constexpr int64_t width = 4096;

/// f(row), computed once for the neighbouring elements that a check looks at.
template <class F>
auto once_a_row(F f) {
  using Value = decltype(f(int64_t{0}));
  return [f, last = int64_t{-1}, value = Value{}](int64_t row) mutable {
    if (row != last) value = f(last = row);
    return value;
  };
}

void softmax_bwd() {
  struct Set {
    GpuVar<> x;
    Gpu<> g, y, dx;
  };
  auto sets = make_sets([](unsigned seed) {
    return Set{parameter(filled({height, width}, seed)), filled({height, width}, seed + 1),
               empty({height, width}, Cuda{}), empty({height, width}, Cuda{})};
  });
  struct Sums {
    double exponentials, weighted;
  };
  auto row_sums = once_a_row([](int64_t row) {
    const auto e = [row](int64_t i) { return std::exp(double{input(0, row * width + i)}); };
    const double total = sum_of(width, e);
    const double weighted =
        sum_of(width, [&](int64_t i) { return e(i) * input(1, row * width + i); });
    return Sums{total, weighted / total};
  });
  measure("softmax_bwd", 5.0 * sizeof(float) * height * width, sets,
          [](Set& s) {
            s.x.zero_grad();
            s.dx = {};
            const Var y = softmax(s.x);
            s.y = y.detach();
            y.backward(s.g);
            s.dx = s.x.grad();
          },
          {expect(sets[0].dx, 8e-6 / width, [row_sums](int64_t i) mutable {
            const Sums sums = row_sums(i / width);
            return std::exp(double{input(0, i)}) / sums.exponentials *
                   (input(1, i) - sums.weighted);
          })});
}

struct Moments {
  double mean, scale;
};
Moments moments_of(int64_t row) {
  const auto x = [row](int64_t i) { return double{input(0, row * width + i)}; };
  double mean = 0;
  for (int64_t i = 0; i < width; ++i) mean += x(i) / width;
  double squares = 0;
  for (int64_t i = 0; i < width; ++i) squares += (x(i) - mean) * (x(i) - mean);
  return {mean, 1 / std::sqrt(squares / width + double{1e-5F})};
}

void layernorm_bwd() {
  struct Set {
    GpuVar<> x, weight, bias;
    Gpu<> g, y, dx, dw, db;
  };
  auto sets = make_sets([](unsigned seed) {
    return Set{parameter(filled({height, width}, seed)),
               parameter(filled({width}, seed + 1)),
               parameter(filled({width}, seed + 2)),
               filled({height, width}, seed + 3),
               empty({height, width}, Cuda{}),
               empty({height, width}, Cuda{}),
               empty({width}, Cuda{}),
               empty({width}, Cuda{})};
  });
  struct Row {
    Moments moments;
    double gradient, along;
  };
  auto rows = once_a_row([](int64_t row) {
    const Moments m = moments_of(row);
    Row out{m, 0, 0};
    for (int64_t i = 0; i < width; ++i) {
      const double g = double{input(3, row * width + i)} * input(1, i);
      out.gradient += g / width;
      out.along += g * (input(0, row * width + i) - m.mean) * m.scale / width;
    }
    return out;
  });
  const auto db = [](int64_t column) {
    return sum_of(height, [&](int64_t row) { return input(3, row * width + column); });
  };
  measure("layernorm_bwd", 5.0 * sizeof(float) * height * width, sets,
          [](Set& s) {
            s.x.zero_grad();
            s.weight.zero_grad();
            s.bias.zero_grad();
            s.dx = s.dw = s.db = {};
            const Var y = layer_norm(s.x, s.weight, s.bias, 1e-5F);
            s.y = y.detach();
            y.backward(s.g);
            s.dx = s.x.grad();
            s.dw = s.weight.grad();
            s.db = s.bias.grad();
          },
          {expect(sets[0].dx, 8e-6,
                  [rows](int64_t i) mutable {
                    const Row row = rows(i / width);
                    const double g = double{input(3, i)} * input(1, i % width);
                    const double h = (input(0, i) - row.moments.mean) * row.moments.scale;
                    return row.moments.scale * (g - row.gradient - h * row.along);
                  }),
           expect(sets[0].db, 2e-3, db)});
}

WEFT_HD int64_t target(int64_t row) { return row * 40503 % 50304; }

__global__ void fill_targets(int64_t* out) {
  const int64_t row = int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  out[row] = target(row);
}

void ce_bwd_bf16() {
  constexpr int64_t classes = 50304;
  struct Set {
    GpuVar<bfloat16> logits;
    Gpu<int64_t> targets;
    Gpu<bfloat16> gradient;
  };
  auto sets = make_sets([](unsigned seed) {
    Set s{parameter(filled<bfloat16>({height, classes}, seed)), empty<int64_t>({height}, Cuda{}),
          empty<bfloat16>({height, classes}, Cuda{})};
    fill_targets<<<height / 256, 256, 0, weft::cuda::current_stream().handle()>>>(s.targets.data());
    return s;
  });
  auto total = once_a_row([](int64_t row) {
    return sum_of(classes,
                  [row](int64_t i) { return std::exp(double{short_input(0, row * classes + i)}); });
  });
  measure("ce_bwd_bf16", 3.0 * sizeof(bfloat16) * height * classes, sets,
          [](Set& s) {
            s.logits.zero_grad();
            s.gradient = {};
            const Var loss = cross_entropy(s.logits, s.targets);
            loss.backward();
            s.gradient = s.logits.grad();
          },
          {expect(sets[0].gradient, 1e-7, [total](int64_t i) mutable {
            const int64_t row = i / classes;
            const double p = std::exp(double{short_input(0, i)}) / total(row);
            return (p - (i % classes == target(row) ? 1 : 0)) / height;
          })});
}

}  // namespace

int main(int argc, char** argv) {
  return bench::main(argc, argv,
                     {{"chain_bwd", chain_bwd},
                      {"softmax_bwd", softmax_bwd},
                      {"layernorm_bwd", layernorm_bwd},
                      {"ce_bwd_bf16", ce_bwd_bf16}});
}
