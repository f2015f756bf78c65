// What a statement costs the host: microseconds a call on 1024 elements, beside a raw launch.
// SPDX-License-Identifier: Apache-2.0
#include "bench.hpp"

using bench::Gpu;
using bench::host_microseconds;
using weft::int64_t;

namespace {

constexpr int64_t n = 1024;
constexpr int batches = 100;

auto chain(const Gpu<>& x, const Gpu<>& y) { return tanh(x * y + 0.3F) * exp(-x * x) + 0.5F; }

// A kernel written by hand with as many bytes of parameters as weft's for the same statement.
template <class T>
struct SameSize {
  alignas(T) char bytes[sizeof(T)];
};
using Lowered = weft::detail::Lowered<decltype(chain(Gpu<>{}, Gpu<>{}))>;
using Grid = SameSize<weft::cuda::Grid<Lowered::n>>;
using Program = SameSize<decltype(Lowered::program)>;

struct Pointers {
  float* z;
  const float* x;
  const float* y;
};
static_assert(sizeof(Pointers) <= sizeof(Grid));

__global__ void by_hand(const __grid_constant__ Grid grid, const __grid_constant__ Program) {
  const auto& p = *reinterpret_cast<const Pointers*>(grid.bytes);
  const unsigned i = threadIdx.x;
  const float4 x = reinterpret_cast<const float4*>(p.x)[i];
  const float4 y = reinterpret_cast<const float4*>(p.y)[i];
  auto f = [](float a, float b) { return tanhf(a * b + 0.3F) * expf(-a * a) + 0.5F; };
  reinterpret_cast<float4*>(p.z)[i] = {f(x.x, y.x), f(x.y, y.y), f(x.z, y.z), f(x.w, y.w)};
}

double error(const Gpu<>& z) {
  const auto found = z.to_vector();
  double worst = 0;
  for (int64_t i = 0; i < n; ++i) {
    const double x = bench::input(0, i);
    const double wanted = std::tanh(x * bench::input(1, i) + double{0.3F}) * std::exp(-x * x) + 0.5;
    const double off = std::abs(double{found[static_cast<std::size_t>(i)]} - wanted);
    worst = off <= 1e30 ? std::max(worst, off) : 1e30;
  }
  return worst;
}

void small_chain() {
  const auto x = bench::filled({n}, 0);
  const auto y = bench::filled({n}, 1);
  auto by_hand_z = weft::zeros({n}, weft::Cuda{});
  auto z = weft::zeros({n}, weft::Cuda{});
  Gpu<> last;
  Grid grid{};
  const Pointers pointers{by_hand_z.data(), x.data(), y.data()};
  std::memcpy(grid.bytes, &pointers, sizeof pointers);
  const cudaStream_t stream = weft::cuda::current_stream().handle();

  double raw = 1e30;
  double existing = 1e30;
  double fresh = 1e30;
  for (int i = 0; i < batches; ++i) {
    raw = std::min(raw,
                   host_microseconds([&] { by_hand<<<1, n / 4, 0, stream>>>(grid, Program{}); }));
    existing = std::min(existing, host_microseconds([&] { z = chain(x, y); }));
    fresh = std::min(fresh, host_microseconds([&] { const Gpu<> result = chain(x, y); }));
  }
  weft::cuda::check(cudaGetLastError(), "bench");
  last = chain(x, y);
  auto report = [](const char* name, const char* who, double us, double off) {
    bench::print(name, who, us * 1e-3, 0, 1, off, off < 1e-6);
  };
  report("small_chain", "raw launch", raw, error(by_hand_z));
  report("small_chain", "weft", existing, error(z));
  report("small_chain_fresh", "weft", fresh, error(last));
}

}  // namespace

int main(int argc, char** argv) { return bench::main(argc, argv, {{"small_chain", small_chain}}); }
