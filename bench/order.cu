// Scans, sorting and gathering on the GPU, as a user writes them.
// SPDX-License-Identifier: Apache-2.0
#include <cub/device/device_radix_sort.cuh>

#include "weft/cuda/algorithms.hpp"

#include "bench.hpp"

using bench::expect;
using bench::filled;
using bench::Gpu;
using bench::input;
using bench::make_sets;
using bench::measure;
using bench::Range;
using bench::sum_of;
using weft::axis;
using weft::Cuda;
using weft::empty;
using weft::int64_t;

namespace {

constexpr int64_t keys = 1 << 25;
constexpr double sort_bytes = (4.0 + 4 + 8) * keys;

/// i * step, modulo size, at each i of [0, n).
__global__ void fill_indices(int64_t* out, int64_t n, int64_t step, int64_t size) {
  const int64_t i = int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n) out[i] = i * step % size;
}
Gpu<int64_t> indices(int64_t n, int64_t step, int64_t size) {
  auto out = empty<int64_t>({n}, Cuda{});
  fill_indices<<<static_cast<unsigned>((n + 255) / 256), 256, 0,
                 weft::cuda::current_stream().handle()>>>(out.data(), n, step, size);
  return out;
}

/// Where each of the sorted keys was, equal ones in their old order: a counting sort on the host.
const std::vector<int>& sorted_order() {
  static const std::vector<int> order = [] {
    auto rank = [](int64_t i) {
      return static_cast<std::size_t>((double{input(0, i)} + 1) * (1 << 23));
    };
    std::vector<int> place((1 << 24) + 1);
    for (int64_t i = 0; i < keys; ++i) ++place[rank(i) + 1];
    for (std::size_t k = 1; k < place.size(); ++k) place[k] += place[k - 1];
    std::vector<int> out(keys);
    for (int64_t i = 0; i < keys; ++i) {
      out[static_cast<std::size_t>(place[rank(i)]++)] = static_cast<int>(i);
    }
    return out;
  }();
  return order;
}
double sorted_index(int64_t i) { return sorted_order()[static_cast<std::size_t>(i)]; }
double sorted_value(int64_t i) { return input(0, sorted_order()[static_cast<std::size_t>(i)]); }

struct Sorted {
  Gpu<> x, values;
  Gpu<int64_t> indices;
};

// CUB by itself, its scratch memory and the indices 0, 1, ... at hand: the yardstick of sorting.
void cub_sort() {
  struct Set {
    Sorted out;
    Gpu<int64_t> iota;
    Gpu<std::uint8_t> scratch;
  };
  auto sort = [](void* scratch, std::size_t& bytes, Set& s) {
    weft::cuda::check(cub::DeviceRadixSort::SortPairs(
                          scratch, bytes, s.out.x.data(), s.out.values.data(), s.iota.data(),
                          s.out.indices.data(), keys, 0, 32, weft::cuda::current_stream().handle()),
                      "bench");
  };
  std::size_t bytes = 0;
  auto sets = make_sets([&](unsigned seed) {
    Set s{{filled({keys}, seed), empty({keys}, Cuda{}), empty<int64_t>({keys}, Cuda{})},
          indices(keys, 1, keys),
          {}};
    sort(nullptr, bytes, s);
    s.scratch = empty<std::uint8_t>({static_cast<int64_t>(bytes)}, Cuda{});
    return s;
  });
  measure(
      "sort", sort_bytes, sets, [&](Set& s) { sort(s.scratch.data(), bytes, s); },
      {expect(sets[0].out.values, 0, sorted_value), expect(sets[0].out.indices, 0, sorted_index)},
      "CUB");
}

auto sorted_sets() {
  return make_sets([](unsigned seed) {
    return Sorted{filled({keys}, seed), empty({keys}, Cuda{}), empty<int64_t>({keys}, Cuda{})};
  });
}

void sort() {
  auto sets = sorted_sets();
  measure("sort", sort_bytes, sets,
          [](Sorted& s) {
            auto [values, indices] = sort(s.x, axis(-1));
            s.values = values;
            s.indices = indices;
          },
          {expect(sets[0].values, 0, sorted_value), expect(sets[0].indices, 0, sorted_index)});
}

void argsort() {
  auto sets = sorted_sets();
  measure("argsort", (4.0 + 8) * keys, sets, [](Sorted& s) { s.indices = argsort(s.x, axis(-1)); },
          {expect(sets[0].indices, 0, sorted_index)});
}

void cumsum() {
  constexpr int64_t n = 1 << 28;
  struct Set {
    Gpu<> x, y;
  };
  auto sets = make_sets([](unsigned seed) {
    return Set{filled({n}, seed, Range::unit), empty({n}, Cuda{})};
  });
  auto sum = [begin = int64_t{0}, sum = 0.0](int64_t i) mutable {
    if (i < begin) begin = 0, sum = 0;
    sum += sum_of(i + 1 - begin, [&](int64_t k) { return input(0, begin + k, Range::unit); });
    begin = i + 1;
    return sum;
  };
  measure("cumsum", 8.0 * n, sets, [](Set& s) { s.y = cumsum(s.x, axis(0)); },
          {expect(sets[0].y, 2e-6, sum)});
}

void topk() {
  constexpr int64_t rows = 1 << 20;
  constexpr int64_t width = 256;
  constexpr int64_t k = 8;
  struct Set {
    Gpu<> x, values;
    Gpu<int64_t> indices;
  };
  auto sets = make_sets([](unsigned seed) {
    return Set{filled({rows, width}, seed), empty({rows, k}, Cuda{}),
               empty<int64_t>({rows, k}, Cuda{})};
  });
  auto index = [](int64_t i) {
    const int64_t first = i / k * width;
    std::vector<int64_t> columns(width);
    for (int64_t c = 0; c < width; ++c) columns[static_cast<std::size_t>(c)] = c;
    std::stable_sort(columns.begin(), columns.end(), [first](int64_t a, int64_t b) {
      return input(0, first + a) > input(0, first + b);
    });
    return static_cast<double>(columns[static_cast<std::size_t>(i % k)]);
  };
  auto value = [index](int64_t i) {
    return double{input(0, i / k * width + static_cast<int64_t>(index(i)))};
  };
  measure("topk", 4.0 * rows * width + (4.0 + 8) * rows * k, sets,
          [](Set& s) {
            auto [values, indices] = topk(s.x, k, axis(-1));
            s.values = values;
            s.indices = indices;
          },
          {expect(sets[0].values, 0, value), expect(sets[0].indices, 0, index)});
}

// Each row of the table once, so that the bytes to move are known.
void take() {
  constexpr int64_t rows = 1 << 18;
  constexpr int64_t width = 1024;
  constexpr int64_t step = 158071;
  struct Set {
    Gpu<> weight;
    Gpu<int64_t> ids;
    Gpu<> y;
  };
  auto sets = make_sets([](unsigned seed) {
    return Set{filled({rows, width}, seed), indices(rows, step, rows),
               empty({rows, width}, Cuda{})};
  });
  measure("take", (8.0 * width + 8) * rows, sets,
          [](Set& s) { s.y = take(s.weight, s.ids, axis(0)); },
          {expect(sets[0].y, 0, [](int64_t i) {
            return double{input(0, i / width * step % rows * width + i % width)};
          })});
}

}  // namespace

int main(int argc, char** argv) {
  return bench::main(argc, argv, {
    {"sort", cub_sort},
        {"sort", sort}, {"argsort", argsort}, {"cumsum", cumsum}, {"topk", topk},
        {"take", take},
  });
}
