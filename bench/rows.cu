// Programs over rows on the GPU, as a user writes them, evaluated into an existing result.
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
using weft::bfloat16;
using weft::Cuda;
using weft::empty;
using weft::int64_t;

namespace {

constexpr int64_t n = 1 << 28;
constexpr int64_t side = 1 << 14;
constexpr double gigabyte = sizeof(float) * n;  // one operand of n floats

/// What an element of an operand of type T holds.
template <class T = float>
double input(unsigned operand, int64_t i) {
  return double{sizeof(T) == 2 ? bench::short_input(operand, i) : bench::input(operand, i)};
}

/// f(row), computed once for the neighbouring elements that a check looks at.
template <class F>
auto once_a_row(F f) {
  using Value = decltype(f(int64_t{0}));
  return [f, last = int64_t{-1}, value = Value{}](int64_t row) mutable {
    if (row != last) value = f(last = row);
    return value;
  };
}

template <class T = float>
double sum_of_exp(int64_t row, int64_t width) {
  return sum_of(width, [&](int64_t i) { return std::exp(input<T>(0, row * width + i)); });
}

template <class T = float>
struct Pair {
  Gpu<T> x, y;
};
template <class T = float>
auto pairs(const weft::Shape& shape, const weft::Shape& result) {
  return make_sets([&](unsigned seed) {
    return Pair<T>{filled<T>(shape, seed), empty<T>(result, Cuda{})};
  });
}

/// The elements are near 1 / width, and so is the tolerance.
template <class T>
void softmax_of(const char* name, int64_t height, int64_t width) {
  auto sets = pairs<T>({height, width}, {height, width});
  auto total = once_a_row([width](int64_t row) { return sum_of_exp<T>(row, width); });
  const double tolerance = (sizeof(T) == 2 ? 0x1.1p-7 : 4e-6) / static_cast<double>(width);
  measure(name, static_cast<double>(2 * sizeof(T)) * static_cast<double>(height * width), sets,
          [](Pair<T>& s) { s.y = weft::softmax(s.x, axis(-1)); },
          {expect(sets[0].y, tolerance, [total, width](int64_t i) mutable {
            return std::exp(input<T>(0, i)) / total(i / width);
          })});
}
void softmax() { softmax_of<float>("softmax", 16384, 8192); }
void softmax_wide() { softmax_of<float>("softmax_wide", 1024, 262144); }
void softmax_narrow() { softmax_of<float>("softmax_narrow", 1 << 22, 64); }
void softmax_bf16() { softmax_of<bfloat16>("softmax_bf16", 16384, 8192); }

void log_softmax() {
  constexpr int64_t width = 8192;
  auto sets = pairs({16384, width}, {16384, width});
  auto total = once_a_row([](int64_t row) { return sum_of_exp(row, width); });
  measure(
      "log_softmax", gigabyte, sets, [](Pair<>& s) { s.y = weft::log_softmax(s.x, axis(-1)); },
      {expect(sets[0].y, 1e-6,
              [total](int64_t i) mutable { return input(0, i) - std::log(total(i / width)); })});
}

void logsumexp() {
  constexpr int64_t width = 8192;
  auto sets = pairs({16384, width}, {16384});
  measure("logsumexp", gigabyte / 2, sets, [](Pair<>& s) { s.y = logsumexp(s.x, axis(-1)); },
          {expect(sets[0].y, 1e-6, [](int64_t row) { return std::log(sum_of_exp(row, width)); })});
}

void var_mean() {
  struct Moments {
    Gpu<> x, variance, mean;
  };
  auto sets = make_sets([](unsigned seed) {
    return Moments{filled({side, side}, seed), empty({side}, Cuda{}), empty({side}, Cuda{})};
  });
  auto mean_of = [](int64_t row) {
    return sum_of(side, [&](int64_t i) { return input(0, row * side + i); }) / side;
  };
  auto variance_of = [mean_of](int64_t row) {
    const double mean = mean_of(row);
    const double squares = sum_of(side, [&](int64_t i) {
      const double distance = input(0, row * side + i) - mean;
      return distance * distance;
    });
    return squares / (side - 1);
  };
  measure("var_mean", gigabyte, sets,
          [](Moments& s) {
            tie(s.variance, s.mean) = fuse(var(s.x, axis(-1)), mean(s.x, axis(-1)));
          },
          {expect(sets[0].variance, 1e-6, variance_of), expect(sets[0].mean, 1e-6, mean_of)});
}

void layernorm() {
  constexpr int64_t width = 4096;
  struct Set {
    Gpu<> x, weight, bias, y;
  };
  auto sets = make_sets([](unsigned seed) {
    return Set{filled({65536, width}, seed), filled({width}, seed + 1), filled({width}, seed + 2),
               empty({65536, width}, Cuda{})};
  });
  auto moments = once_a_row([](int64_t row) {
    auto x = [row](int64_t i) { return input(0, row * width + i); };
    const double mean = sum_of(width, x) / width;
    const double squares = sum_of(width, [&](int64_t i) { return (x(i) - mean) * (x(i) - mean); });
    return std::pair(mean, 1 / std::sqrt(squares / width + double{1e-5F}));
  });
  measure("layernorm", 2 * gigabyte, sets,
          [](Set& s) { s.y = weft::layer_norm(s.x, s.weight, s.bias, 1e-5F); },
          {expect(sets[0].y, 2e-6, [moments](int64_t i) mutable {
            const auto [mean, scale] = moments(i / width);
            return (input(0, i) - mean) * scale * input(1, i % width) + input(2, i % width);
          })});
}

void rmsnorm() {
  constexpr int64_t width = 4096;
  struct Set {
    Gpu<bfloat16> x, weight, y;
  };
  auto sets = make_sets([](unsigned seed) {
    return Set{filled<bfloat16>({65536, width}, seed), filled<bfloat16>({width}, seed + 1),
               empty<bfloat16>({65536, width}, Cuda{})};
  });
  auto scale = once_a_row([](int64_t row) {
    const double squares = sum_of(
        width, [row](int64_t i) { return std::pow(input<bfloat16>(0, row * width + i), 2); });
    return 1 / std::sqrt(squares / width + double{1e-5F});
  });
  measure("rmsnorm", gigabyte, sets, [](Set& s) { s.y = weft::rms_norm(s.x, s.weight, 1e-5F); },
          {expect(sets[0].y, 0x1.1p-8, [scale](int64_t i) mutable {
            return input<bfloat16>(0, i) * scale(i / width) * input<bfloat16>(1, i % width);
          })});
}

WEFT_HD int64_t target(int64_t row) { return row * 40503 % 32768; }

__global__ void fill_targets(int64_t* out) {
  const int64_t row = int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  out[row] = target(row);
}

void cross_entropy() {
  constexpr int64_t height = 8192;
  constexpr int64_t width = 32768;
  struct Set {
    Gpu<> logits;
    Gpu<int64_t> targets;
    Gpu<> loss;
  };
  auto sets = make_sets([](unsigned seed) {
    Set s{filled({height, width}, seed), empty<int64_t>({height}, Cuda{}), empty({}, Cuda{})};
    fill_targets<<<height / 256, 256, 0, weft::cuda::current_stream().handle()>>>(s.targets.data());
    return s;
  });
  auto loss = [](int64_t) {
    std::vector<double> of(height);
    std::vector<std::thread> threads;
    const auto parts = static_cast<int64_t>(std::max(1U, std::thread::hardware_concurrency()));
    for (int64_t p = 0; p < parts; ++p) {
      threads.emplace_back([&of, p, parts] {
        for (int64_t row = p; row < height; row += parts) {
          const double picked = input(0, row * width + target(row));
          of[static_cast<std::size_t>(row)] = std::log(sum_of_exp(row, width)) - picked;
        }
      });
    }
    for (std::thread& t : threads) t.join();
    double sum = 0;
    for (double row : of) sum += row;
    return sum / height;
  };
  measure("cross_entropy", gigabyte, sets, [](Set& s) { s.loss = weft::cross_entropy(s.logits, s.targets); },
          {expect(sets[0].loss, 1e-6, loss)});
}

}  // namespace

int main(int argc, char** argv) {
  return bench::main(argc, argv,
                     {{"var_mean", var_mean},
                      {"softmax", softmax},
                      {"softmax_wide", softmax_wide},
                      {"softmax_narrow", softmax_narrow},
                      {"softmax_bf16", softmax_bf16},
                      {"log_softmax", log_softmax},
                      {"logsumexp", logsumexp},
                      {"layernorm", layernorm},
                      {"rmsnorm", rmsnorm},
                      {"cross_entropy", cross_entropy}});
}
