// SPDX-License-Identifier: Apache-2.0
#include "weft/cuda/elementwise/join.hpp"

#include <cstring>
#include <random>
#include <vector>

#include "cuda/graph_nodes.hpp"
#include "test.hpp"
#include "weft/cuda.hpp"

using weft::axis;
using weft::Cuda;
using weft::int64_t;
using weft::Shape;
using weft::slice;
using weft::Tensor;
using weft::on_cuda::block_threads;
using weft::on_cuda::JoinedRows;
using weft::on_cuda::JoinLaunch;
using weft::on_cuda::JoinSource;
namespace detail = weft::on_cuda::detail;

namespace {

/// Runs all threads of a planned join, on the host.
template <int Size>
void run(const JoinedRows& plan, const JoinLaunch& launch) {
  constexpr int word = Size < 8 ? Size : 8;
  for (unsigned item = 0; item < launch.blocks * block_threads; ++item) {
    if (!launch.merges) {
      if (launch.word == word) detail::join_vector<word>(plan, plan.part, item);
      if (launch.word != word) detail::join_vector<4>(plan, plan.part, item);
      continue;
    }
    if constexpr (word <= 2) {
      if (plan.parts == 8) detail::merge_vector<word, 8>(plan, item);
    }
    if constexpr (word <= 4) {
      if (plan.parts == 4) detail::merge_vector<word, 4>(plan, item);
    }
    if (plan.parts == 2) detail::merge_vector<word, 2>(plan, item);
  }
}

/// Joins of random widths, gaps and starts are what copies row by row give; what lies before and
/// behind them stays.
template <int Size>
void check_random(unsigned seed) {
  std::mt19937 random(seed);
  const auto below = [&](unsigned n) { return static_cast<int64_t>(random() % n); };
  int merged = 0;
  for (int round = 0; round < 400; ++round) {
    const int n = 2 + static_cast<int>(round % 3 == 0 ? below(63) : below(8));
    const int64_t rows = 1 + below(90);
    const bool single = round % 4 == 1;
    const bool even = round % 4 == 2;
    const bool dense = round % 2 == 1;
    const auto first = 1 + below(12);
    const unsigned start = round % 5 == 0 ? 1 : 16;
    std::vector<std::vector<char>> memory;
    std::vector<JoinSource> parts;
    int64_t width = 0;
    for (int k = 0; k < n; ++k) {
      const int64_t w = single ? 1 : even ? first : 1 + below(40);
      const int64_t pitch = dense ? w : w + below(3);
      memory.emplace_back(static_cast<std::size_t>((rows * pitch + 64) * Size + 64));
      for (char& c : memory.back()) c = static_cast<char>(random());
      auto* base = memory.back().data();
      base += (16 - reinterpret_cast<std::uintptr_t>(base) % 16) % 16;
      parts.push_back({base + (start == 1 ? below(9) : 0) * Size, w, pitch});
      width += w;
    }
    const int64_t offset = start == 1 ? below(17) * Size : 64;
    std::vector<char> expected(static_cast<std::size_t>(rows * width * Size + 512), 77);
    std::vector<char> found = expected;
    const auto aligned = [](std::vector<char>& x) {
      return x.data() + (16 - reinterpret_cast<std::uintptr_t>(x.data()) % 16) % 16;
    };
    char* to = aligned(expected) + offset;
    for (int64_t r = 0; r < rows; ++r) {
      for (const JoinSource& part : parts) {
        std::memcpy(to, part.data + r * part.pitch * Size,
                    static_cast<std::size_t>(part.width * Size));
        to += part.width * Size;
      }
    }
    JoinedRows plan;
    JoinLaunch launch;
    CHECK(detail::plan_join(aligned(found) + offset, rows, parts.data(), n, Size, plan, launch) ==
          rows);
    run<Size>(plan, launch);
    merged += launch.merges ? 1 : 0;
    CAPTURE(round);
    const auto bytes = static_cast<std::size_t>(rows * width * Size + offset + 128);
    REQUIRE(std::memcmp(aligned(expected), aligned(found), bytes) == 0);
  }
  CHECK((merged > 0 || Size == 16));
}

/// Parts that are not copies of each other, all of them in one kernel.
template <class T>
void check_join(int64_t rows, std::initializer_list<int64_t> widths) {
  std::vector<Tensor<T>> here;
  std::vector<Tensor<T, Cuda>> there;
  int64_t from = 0;
  for (const int64_t width : widths) {
    const auto numbers = weft::arange<int64_t>(from, from + rows * width) % int64_t{127};
    here.push_back(cast<T>(numbers).eval().reshape({rows, width}));
    there.push_back(here.back().to(Cuda{}));
    from += rows * width + 1;
  }
  CAPTURE(rows);
  CHECK(equal(cat(there, axis(1)).to(weft::Cpu{}), cat(here, axis(1))));
  CHECK(equal(cat(there[0], there[1], axis(1)).eval().to(weft::Cpu{}),
              cat(here[0], here[1], axis(1)).eval()));
  CHECK(equal(cat(there[0].flip(1), there[1], axis(1)).eval().to(weft::Cpu{}),
              cat(here[0].flip(1), here[1], axis(1)).eval()));
  const auto twice = cat(there[0] + there[0], there[1] * T{3}, axis(1)).eval();
  CHECK(equal(twice.to(weft::Cpu{}), cat(here[0] + here[0], here[1] * T{3}, axis(1)).eval()));
  const auto rest = slice(1, weft::none);
  CHECK(equal(cat(there[1](rest), there[0](rest), axis(1)).eval().to(weft::Cpu{}),
              cat(here[1](rest), here[0](rest), axis(1)).eval()));
  const auto stacked = stack(there[0], there[0] + T{1}, axis(2)).eval();
  CHECK(equal(stacked.to(weft::Cpu{}), stack(here[0], here[0] + T{1}, axis(2)).eval()));
}

}  // namespace

TEST_CASE("pieces of any width, pitch and start") {
  check_random<1>(1);
  check_random<2>(2);
  check_random<4>(3);
  check_random<8>(4);
  check_random<16>(5);
}

TEST_CASE_TEMPLATE("joins of short pieces [gpu] [sanitize]", T, std::int8_t, weft::half, float,
                   double, weft::complex<double>) {
  check_join<T>(1, {3, 5});
  check_join<T>(1001, {1, 1});
  check_join<T>(999, {1, 1, 1});
  check_join<T>(1001, {1, 1, 1, 1, 1, 1, 1, 1});
  check_join<T>(70'000, {1, 1});  // computed parts are stored first
  check_join<T>(30'001, {3, 7, 0, 20});
  check_join<T>(257, {16, 16});
  check_join<T>(64, {31, 2, 29});
}

TEST_CASE("a join of tensors with short pieces is one kernel [gpu]") {
  const auto x = weft::ones<weft::half>({500, 64}, Cuda{});
  const auto y = weft::zeros<weft::half>({500, 64}, Cuda{});
  auto z = weft::empty<weft::half>({500, 64, 2}, Cuda{});
  CHECK(captured([&] { z.assign(stack(x, y, axis(2))); }).kernels == 1);
  z.assign(stack(x, y, axis(2)));  // what is captured does not run
  CHECK(sum(z(weft::all, weft::all, 0)).item() == weft::half{32000});
  auto w = weft::empty<weft::half>({500, 30}, Cuda{});
  const auto narrow = x(weft::all, slice(3, 33));
  CHECK(captured([&] {
          w.assign(cat(narrow(weft::all, slice(0, 13)), narrow(weft::all, slice(13, 30)), axis(1)));
        }).kernels == 1);
  auto part = weft::zeros<weft::half>({500, 64, 4}, Cuda{});
  part(weft::all, weft::all, slice(1, 3)).assign(stack(x, y + weft::half{2}, axis(2)));
  CHECK(
      sum(part, axis(0, 1)).eval().to_vector() ==
      std::vector<weft::half>{weft::half{0}, weft::half{32000}, weft::half{64000}, weft::half{0}});
}
