// SPDX-License-Identifier: Apache-2.0
#include <weft/cuda/scan/waves.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#ifdef __CUDACC__
#include <weft/cuda/scan/scan.hpp>

#include "cuda/graph_nodes.hpp"
#endif
#include "test.hpp"

using weft::cuda::ScanGrid;
using weft::cuda::suits_waves;
using weft::cuda::wave_tile;

static_assert(weft::cuda::has_wave_types<weft::scanner::cumsum, float, float>());
static_assert(weft::cuda::has_wave_types<weft::scanner::cummax, int, int>());
static_assert(weft::cuda::has_wave_types<weft::scanner::logcumsumexp, float, float>());
static_assert(!weft::cuda::has_wave_types<weft::scanner::cumsum, int, std::int64_t>());
static_assert(!weft::cuda::has_wave_types<weft::scanner::cumsum, double, double>());
static_assert(!weft::cuda::has_wave_types<weft::scanner::cumsum, weft::half, weft::half>());
// A tile is issued again only when its copy back has read it.
static_assert(weft::cuda::wave_stages > weft::cuda::wave_ahead + 2);

namespace {
constexpr std::int64_t least = 8 * wave_tile;
alignas(16) char memory[32];

ScanGrid grid_of(std::int64_t length) {
  ScanGrid grid;
  grid.length = length;
  for (int i = 0; i < 2; ++i) {
    grid.data[i] = memory;
    grid.along[i] = 1;
    grid.stride[i][0] = grid.stride[i][1] = length;
  }
  return grid;
}
}  // namespace

TEST_CASE("waves are for long rows that begin at 16 bytes") {
  CHECK(suits_waves(grid_of(least)));
  CHECK(suits_waves(grid_of(least + 1)));
  CHECK_FALSE(suits_waves(grid_of(least - 1)));
  for (int i = 0; i < 2; ++i) {
    ScanGrid shifted = grid_of(least);
    shifted.data[i] += 4;
    CHECK_FALSE(suits_waves(shifted));
    ScanGrid strided = grid_of(least);
    strided.along[i] = 2;
    CHECK_FALSE(suits_waves(strided));
    ScanGrid backwards = grid_of(least);
    backwards.along[i] = -1;
    CHECK_FALSE(suits_waves(backwards));
    ScanGrid rows = grid_of(least);
    rows.rank = 1;
    CHECK(suits_waves(rows));
    rows.stride[i][0] = least + 2;
    CHECK_FALSE(suits_waves(rows));
    rows.stride[i][0] = -least;
    CHECK(suits_waves(rows));
  }
}

#ifdef __CUDACC__
namespace {
using weft::axis;
using weft::Cuda;

std::int64_t wave() {
  const int blocks = weft::cuda::properties().multiprocessors;
  return std::int64_t{wave_tile} * std::min<std::int64_t>(blocks, weft::cuda::wave_blocks);
}

/// Small integers, whose sums of any order are exact.
weft::Tensor<float, Cuda> integers(const weft::Shape& shape) {
  return weft::cast<float>(weft::randint<int>(-3, 4, shape, Cuda{}));
}

/// Positions at which rows of `got` are not the running sums of `x`.
template <class X, class Y>
std::int64_t wrong_sums(const X& x, const Y& got) {
  const std::int64_t n = x.size(-1);
  const std::vector<float> in = x.to_vector();
  const std::vector<float> out = got.to_vector();
  std::int64_t wrong = 0;
  double sum = 0;
  for (std::size_t i = 0; i < in.size(); ++i) {
    sum = static_cast<std::int64_t>(i) % n == 0 ? in[i] : sum + in[i];
    wrong += out[i] != static_cast<float>(sum);
  }
  return wrong;
}

bool has_waves() {
  const auto kernel = weft::cuda::scan_waves<float, float, weft::scanner::cumsum>;
  return weft::cuda::has_bulk_copies(reinterpret_cast<const void*>(kernel), Cuda{0});
}
}  // namespace

TEST_CASE("sums around the ends of tiles and waves [gpu]") {
  std::vector<std::int64_t> lengths;
  for (const std::int64_t around : {least, least + wave_tile, wave(), 2 * wave(), 3 * wave(),
                                    8 * wave(), 9 * wave() + 5 * wave_tile}) {
    for (const std::int64_t d : {-wave_tile, -5, -4, -1, 0, 1, 2, 3, 4, 7, 4096}) {
      lengths.push_back(around + d);
    }
  }
  for (const std::int64_t n : lengths) {
    CAPTURE(n);
    const auto x = integers({n});
    CHECK(wrong_sums(x, cumsum(x).eval()) == 0);
  }
}

TEST_CASE("several long rows, also in a wave [gpu]") {
  for (const std::int64_t n : {least, least + 4, 9 * std::int64_t{wave_tile} - 4, wave() - 8,
                               wave(), wave() + 4, 2 * wave() + 12 * wave_tile}) {
    for (const std::int64_t rows : {2, 3, 17, 40}) {
      if (rows * n > 60'000'000) continue;
      CAPTURE(n);
      CAPTURE(rows);
      const auto x = integers({rows, n});
      CHECK(wrong_sums(x, cumsum(x, axis(1)).eval()) == 0);
      CHECK(wrong_sums(x, cumsum(x, axis(1), weft::deterministic).eval()) == 0);
    }
  }
}

TEST_CASE("rows that bulk copies cannot take go another way [gpu]") {
  const std::int64_t n = least + 8;
  const auto x = integers({3, n + 8});
  for (const std::int64_t start : {0, 1, 2, 4}) {
    for (const std::int64_t length : {n, n + 1, n + 2}) {
      const auto part = x.narrow(1, start, length);
      CHECK(wrong_sums(part, cumsum(part, axis(1)).eval()) == 0);
    }
  }
  const auto every_other = x.flatten()(weft::slice(0, 3 * (n + 8), 2)).flip(0);
  CHECK(wrong_sums(every_other, cumsum(every_other).eval()) == 0);
  const auto same = x.narrow(0, 0, 1).expand({4, n + 8});
  CHECK(wrong_sums(same, cumsum(same, axis(1)).eval()) == 0);
}

TEST_CASE("other scans in waves [gpu]") {
  const std::int64_t n = 2 * wave() + 3 * wave_tile + 3;
  const auto same_as_cpu = [](const auto& x, auto scanned) {
    CHECK(weft::equal(scanned(x).eval().to(weft::Cpu{}), scanned(x.to(weft::Cpu{})).eval()));
  };
  const auto max = [](const auto& x) { return cummax(x); };
  const auto min = [](const auto& x) { return cummin(x); };
  const auto ramp = weft::cast<float>(weft::arange<int>(static_cast<int>(n), Cuda{}));
  const weft::Tensor<float, Cuda> noise = weft::rand({n}, Cuda{}) * 1e5F + ramp;
  same_as_cpu(noise, max);
  same_as_cpu((-noise).eval(), min);
  const auto whole = weft::randint<int>(-2'000'000'000, 2'000'000'000, {n}, Cuda{});
  same_as_cpu(whole, max);
  same_as_cpu(whole, min);
  same_as_cpu(weft::cast<std::uint32_t>(whole).eval(), max);
  const weft::Tensor<float, Cuda> signs = 1.F - 2.F * weft::cast<float>(whole > 1'900'000'000);
  same_as_cpu(signs, [](const auto& x) { return cumprod(x); });

  auto odd = noise.clone();
  odd(n - 2 * wave_tile - 5) = std::numeric_limits<float>::quiet_NaN();
  const std::vector<float> after = cummax(odd).eval().to_vector();
  std::int64_t numbers = 0;
  for (const float v : after) numbers += v == v;
  CHECK(numbers == n - 2 * wave_tile - 5);
}

TEST_CASE("logarithms of sums in waves [gpu]") {
  const std::int64_t n = wave() + 2 * wave_tile + 1;
  const weft::Tensor<float, Cuda> x = weft::rand({n}, Cuda{}) * 40.F - 20.F;
  const std::vector<float> in = x.to_vector();
  const std::vector<float> out = logcumsumexp(x).eval().to_vector();
  double sum = 0;
  double worst = 0;
  for (std::size_t i = 0; i < in.size(); ++i) {
    sum += std::exp(static_cast<double>(in[i]));
    worst = std::max(worst, std::fabs(static_cast<double>(out[i]) - std::log(sum)));
  }
  CHECK(worst < 1e-4);
  const auto nothing = weft::full({n}, -std::numeric_limits<float>::infinity(), Cuda{});
  CHECK(weft::equal(logcumsumexp(nothing).eval(), nothing));
}

TEST_CASE("special values in waves [gpu]") {
  const std::int64_t n = least + 3;
  auto zeros = weft::full({n}, -0.F, Cuda{});
  const std::vector<float> minus = cumsum(zeros).eval().to_vector();
  CHECK(std::all_of(minus.begin(), minus.end(), [](float v) { return std::signbit(v); }));
  auto x = weft::ones({n}, Cuda{});
  x(9000) = std::numeric_limits<float>::infinity();
  const std::vector<float> sums = cumsum(x).eval().to_vector();
  CHECK(sums[8999] == 9000);
  CHECK(std::count(sums.begin(), sums.end(), INFINITY) == n - 9000);
}

TEST_CASE("sums in waves are the same every time, on every stream and in graphs [gpu]") {
  const std::int64_t n = 5 * wave() + 4 * wave_tile + 2;
  const auto x = weft::rand({n}, Cuda{});
  const auto expected = cumsum(x).eval();
  CHECK(weft::equal(cumsum(x, weft::deterministic).eval(), expected));
  for (int times = 0; times < 20; ++times) CHECK(weft::equal(cumsum(x).eval(), expected));

  weft::cuda::synchronize();
  weft::cuda::Stream streams[4];
  std::vector<weft::Tensor<float, Cuda>> got;
  for (int times = 0; times < 5; ++times) {
    for (const weft::cuda::Stream& stream : streams) {
      const weft::cuda::StreamGuard guard(stream);
      got.push_back(cumsum(x).eval());
    }
  }
  weft::cuda::synchronize();
  for (const auto& y : got) CHECK(weft::equal(y, expected));

  auto y = weft::empty({n}, Cuda{});
  auto graph = weft::cuda::capture([&] { y.assign(cumsum(x)); });
  for (int times = 0; times < 3; ++times) {
    y.assign(weft::zeros({n}, Cuda{}));
    graph.replay();
    CHECK(weft::equal(y, expected));
  }
  if (has_waves()) {
    const GraphNodes nodes = captured([&] { y.assign(cumsum(x)); });
    CHECK(nodes.kernels == 1);
    CHECK(nodes.memsets == 1);
  }
}

TEST_CASE("small scans in waves [gpu] [sanitize]") {
  const auto row = integers({least + 3});
  CHECK(wrong_sums(row, cumsum(row).eval()) == 0);
  const auto rows = integers({20, least + 4});
  CHECK(wrong_sums(rows, cumsum(rows, axis(1)).eval()) == 0);
  const auto unaligned = integers({least + 3}).narrow(0, 1, least + 1);
  CHECK(wrong_sums(unaligned, cumsum(unaligned).eval()) == 0);
}
#endif
