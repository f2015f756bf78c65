// Statements whose operands are not plain: odd lengths, offsets, gaps, broadcasts, other orders.
// SPDX-License-Identifier: Apache-2.0
#include "bench.hpp"

using bench::expect;
using bench::filled;
using bench::Gpu;
using bench::input;
using bench::make_sets;
using bench::measure;
using weft::all;
using weft::Cuda;
using weft::empty;
using weft::int64_t;
using weft::none;
using weft::Shape;
using weft::slice;

namespace {

constexpr int64_t rows = 1 << 14;
constexpr int64_t columns = 1 << 13;
constexpr int64_t n = rows * columns;

template <class T>
struct Set {
  Gpu<T> x, y, z;
};

/// z = f(x, y), whose element i is value(i); `bytes` is what must move.
template <class T = float, class F, class Value>
void run(const char* name, double bytes, const Shape& x, const Shape& y, const Shape& z, const F& f,
         const Value& value) {
  auto sets = make_sets([&](unsigned seed) {
    return Set<T>{filled<T>(x, seed), filled<T>(y, seed + 1), empty<T>(z, Cuda{})};
  });
  measure(name, bytes, sets, f, {expect(sets[0].z, 1e-6, value)});
}

double at(unsigned operand, int64_t i) { return input(operand, i); }
double sum(int64_t i, int64_t j) { return at(0, i) + at(1, j); }

constexpr double three = 3.0 * n * sizeof(float);
const Shape line{n};
const Shape matrix{rows, columns};

void plain() {
  run(
      "odd_plain", three, line, line, line, [](auto& s) { s.z = s.x + s.y; },
      [](int64_t i) { return sum(i, i); });
}
void scalars() {
  run(
      "odd_rank0", three * 2 / 3, line, {}, line, [](auto& s) { s.z = s.x + s.y; },
      [](int64_t i) { return sum(i, 0); });
}
void length() {
  run(
      "odd_length", three, {n - 5}, {n - 5}, {n - 5}, [](auto& s) { s.z = s.x + s.y; },
      [](int64_t i) { return sum(i, i); });
}
void misaligned() {
  run(
      "odd_misaligned", three, line, line, {n - 1},
      [](auto& s) { s.z = s.x(slice(1, n)) + s.y(slice(0, n - 1)); },
      [](int64_t i) { return sum(i + 1, i); });
}
void misaligned_both() {
  run(
      "odd_misaligned_both", three, line, line, {n - 3},
      [](auto& s) { s.z = s.x(slice(1, n - 2)) + s.y(slice(3, n)); },
      [](int64_t i) { return sum(i + 1, i + 3); });
}
void target() {
  auto sets = make_sets([](unsigned seed) {
    return Set<float>{filled(line, seed), filled({n - 1}, seed + 1), filled({n - 1}, seed + 2)};
  });
  measure("odd_target", three, sets, [](auto& s) { s.x(slice(1, n)) = s.y + s.z; },
          {expect(
              sets[0].x, 1e-6,
              [](int64_t i) { return i == 0 ? at(0, 0) : at(1, i - 1) + at(2, i - 1); }, true)});
}
void row() {
  run(
      "odd_row", three * 2 / 3, matrix, {columns}, matrix, [](auto& s) { s.z = s.x + s.y; },
      [](int64_t i) { return sum(i, i % columns); });
}
void column() {
  run(
      "odd_column", three * 2 / 3, matrix, {rows, 1}, matrix, [](auto& s) { s.z = s.x + s.y; },
      [](int64_t i) { return sum(i, i / columns); });
}
void outer() {
  run(
      "odd_outer", three / 3, {columns}, {rows, 1}, matrix, [](auto& s) { s.z = s.x + s.y; },
      [](int64_t i) { return sum(i % columns, i / columns); });
}
void row_of_odd_length() {
  constexpr int64_t c = columns - 1;
  run(
      "odd_row_of_odd_length", 2.0 * rows * c * sizeof(float), {rows, c}, {c}, {rows, c},
      [](auto& s) { s.z = s.x + s.y; }, [](int64_t i) { return sum(i, i % c); });
}
void gaps() {
  constexpr int64_t c = columns - 192;
  run(
      "odd_gaps", 3.0 * rows * c * sizeof(float), matrix, matrix, {rows, c},
      [](auto& s) { s.z = s.x(all, slice(0, c)) + s.y(all, slice(0, c)); },
      [](int64_t i) { return sum(i / c * columns + i % c, i / c * columns + i % c); });
}
void odd_gaps() {
  constexpr int64_t c = columns - 191;
  run(
      "odd_gaps_of_odd_length", 3.0 * rows * c * sizeof(float), matrix, matrix, {rows, c},
      [](auto& s) { s.z = s.x(all, slice(1, c + 1)) + s.y(all, slice(0, c)); },
      [](int64_t i) { return sum(i / c * columns + i % c + 1, i / c * columns + i % c); });
}
void narrow_rows() {
  constexpr int64_t c = 33;
  constexpr int64_t r = n / 64;
  run(
      "odd_narrow", 3.0 * r * c * sizeof(float), {r, 64}, {r, c}, {r, c},
      [](auto& s) { s.z = s.x(all, slice(0, c)) + s.y; },
      [](int64_t i) { return sum(i / c * 64 + i % c, i); });
}
void rank_four() {
  run(
      "odd_rank4", three, {128, 64, 128, 128}, {64, 128, 128, 128}, {64, 128, 128, 128},
      [](auto& s) { s.z = s.x.transpose(0, 1) + s.y; },
      [](int64_t i) {
        const int64_t a = i >> 21, b = i >> 14 & 127;
        return sum((b * 64 + a) << 14 | (i & 16383), i);
      });
}
void rank_eight() {
  // Axes of 8, 8, 8, 8, 8, 8, 8, 64, the first seven in reverse order.
  run(
      "odd_rank8", three, {8, 8, 8, 8, 8, 8, 8, 64}, {8, 8, 8, 8, 8, 8, 8, 64},
      {8, 8, 8, 8, 8, 8, 8, 64},
      [](auto& s) {
        s.z = s.x.permute({6, 5, 4, 3, 2, 1, 0, 7}) + s.y;
      },
      [](int64_t i) {
        int64_t j = 0;
        for (int d = 0; d < 7; ++d) j = j << 3 | (i >> (6 + 3 * d) & 7);
        return sum(j << 6 | (i & 63), i);
      });
}
void update() {
  auto sets = make_sets([](unsigned seed) {
    return Set<float>{filled(line, seed), filled(line, seed + 1), {}};
  });
  for (auto& s : sets) s.y.fill(0);
  measure("odd_update", three, sets, [](auto& s) { s.x += s.y; },
          {expect(
              sets[0].x, 1e-6, [](int64_t i) { return at(0, i); }, true)});
}
void update_view() {
  constexpr int64_t c = columns - 192;
  auto sets = make_sets([](unsigned seed) {
    return Set<float>{filled(matrix, seed), filled({rows, c}, seed + 1), {}};
  });
  for (auto& s : sets) s.y.fill(0);
  measure("odd_update_view", 3.0 * rows * c * sizeof(float), sets,
          [](auto& s) { s.x(all, slice(64, c + 64)) += s.y; },
          {expect(
              sets[0].x, 1e-6, [](int64_t i) { return at(0, i); }, true)});
}
void flip() {
  run(
      "odd_flip", three, line, line, line, [](auto& s) { s.z = s.x.flip(0) + s.y; },
      [](int64_t i) { return sum(n - 1 - i, i); });
}
void flip_rows() {
  run(
      "odd_flip_rows", three, matrix, matrix, matrix, [](auto& s) { s.z = s.x.flip(0) + s.y; },
      [](int64_t i) { return sum((rows - 1 - i / columns) * columns + i % columns, i); });
}
void step() {
  run(
      "odd_step", three / 3 * 4, {2 * n}, line, line,
      [](auto& s) { s.z = s.x(slice(0, 2 * n, 2)) + s.y; },
      [](int64_t i) { return sum(2 * i, i); });
}

template <class T>
void bytes(const char* name, int64_t offset) {
  constexpr int64_t length = 4 * n;
  struct Bytes {
    Gpu<T> x, z;
  };
  auto sets = make_sets([&](unsigned) {
    return Bytes{weft::ones<T>({length + offset}, Cuda{}), empty<T>({length}, Cuda{})};
  });
  // bench::expect does not take bool: its bytes are looked at as integers.
  auto bits = weft::borrow(reinterpret_cast<std::int8_t*>(sets[0].z.data()), {length}, Cuda{});
  measure(name, 2.0 * length, sets, [&](auto& s) { s.z.assign(s.x(slice(offset, none))); },
          {expect(
              bits, 0, [](int64_t) { return 1; }, true)});
}
void copy_bool() { bytes<bool>("odd_copy_bool", 0); }
void copy_int8() { bytes<std::int8_t>("odd_copy_int8", 0); }
void copy_int8_misaligned() { bytes<std::int8_t>("odd_copy_int8_misaligned", 3); }

void transpose_copy() {
  run(
      "odd_transpose_copy", three * 2 / 3, matrix, {}, {columns, rows},
      [](auto& s) { s.z.assign(s.x.t()); },
      [](int64_t i) { return at(0, i % rows * columns + i / rows); });
}
template <class T>
void transposed(const char* name) {
  run<T>(
      name, 3.0 * sizeof(T) * 4 * n, {2 * rows, 2 * columns}, {2 * columns, 2 * rows},
      {2 * columns, 2 * rows}, [](auto& s) { s.z = maximum(s.x.t(), s.y); },
      [](int64_t i) {
        const int64_t j = i % (2 * rows) * (2 * columns) + i / (2 * rows);
        return double{std::max(bench::short_input(0, j), bench::short_input(1, i))};
      });
}
void transpose_bf16() { transposed<weft::bfloat16>("odd_transpose_bf16"); }
void transpose_odd() {
  constexpr int64_t r = rows - 3;
  constexpr int64_t c = columns - 1;
  run(
      "odd_transpose_of_odd_length", 3.0 * r * c * sizeof(float), {r, c}, {c, r}, {c, r},
      [](auto& s) { s.z = s.x.t() + s.y; }, [](int64_t i) { return sum(i % r * c + i / r, i); });
}
void transpose_two() {
  run(
      "odd_transpose_two", three, matrix, matrix, {columns, rows},
      [](auto& s) { s.z = s.x.t() + s.y.t(); },
      [](int64_t i) {
        const int64_t j = i % rows * columns + i / rows;
        return sum(j, j);
      });
}
void transpose_target() {
  run(
      "odd_transpose_target", three, matrix, matrix, {columns, rows},
      [](auto& s) { s.z.t() = s.x + s.y; },
      [](int64_t i) {
        const int64_t j = i % rows * columns + i / rows;
        return sum(j, j);
      });
}
void channels_last() {
  // (64, 128, 128, 128) as NCHW to NHWC.
  run(
      "odd_nchw_to_nhwc", three * 2 / 3, {64, 128, 128, 128}, {128}, {64, 128, 128, 128},
      [](auto& s) {
        s.z = s.x.permute({0, 2, 3, 1}) + s.y;
      },
      [](int64_t i) {
        const int64_t c = i & 127, hw = i >> 7 & 16383, b = i >> 21;
        return sum(b << 21 | c << 14 | hw, c);
      });
}
void channels_first() {
  run(
      "odd_nhwc_to_nchw", three * 2 / 3, {32, 112, 112, 320}, {}, {32, 320, 112, 112},
      [](auto& s) {
        s.z.assign(s.x.permute({0, 3, 1, 2}));
      },
      [](int64_t i) {
        const int64_t hw = i % 12544, c = i / 12544 % 320, b = i / 12544 / 320;
        return at(0, (b * 12544 + hw) * 320 + c);
      });
}
void reversed_axes() {
  // Five axes in reverse order.
  run(
      "odd_reversed_axes", three, {32, 64, 32, 64, 32}, {32, 64, 32, 64, 32}, {32, 64, 32, 64, 32},
      [](auto& s) {
        s.z = s.x.permute({4, 3, 2, 1, 0}) + s.y;
      },
      [](int64_t i) {
        const int64_t e = i & 31, d = i >> 5 & 63, c = i >> 11 & 31, b = i >> 16 & 63, a = i >> 22;
        return sum(((((e << 6) + d) * 32 + c) * 64 + b) * 32 + a, i);
      });
}

}  // namespace

int main(int argc, char** argv) {
  return bench::main(argc, argv,
                     {{"odd_plain", plain},
                      {"odd_rank0", scalars},
                      {"odd_length", length},
                      {"odd_misaligned", misaligned},
                      {"odd_misaligned_both", misaligned_both},
                      {"odd_target", target},
                      {"odd_row", row},
                      {"odd_column", column},
                      {"odd_outer", outer},
                      {"odd_row_of_odd_length", row_of_odd_length},
                      {"odd_gaps", gaps},
                      {"odd_gaps_of_odd_length", odd_gaps},
                      {"odd_narrow", narrow_rows},
                      {"odd_rank4", rank_four},
                      {"odd_rank8", rank_eight},
                      {"odd_update", update},
                      {"odd_update_view", update_view},
                      {"odd_flip", flip},
                      {"odd_flip_rows", flip_rows},
                      {"odd_step", step},
                      {"odd_copy_bool", copy_bool},
                      {"odd_copy_int8", copy_int8},
                      {"odd_copy_int8_misaligned", copy_int8_misaligned},
                      {"odd_transpose_copy", transpose_copy},
                      {"odd_transpose_bf16", transpose_bf16},
                      {"odd_transpose_of_odd_length", transpose_odd},
                      {"odd_transpose_two", transpose_two},
                      {"odd_transpose_target", transpose_target},
                      {"odd_nchw_to_nhwc", channels_last},
                      {"odd_nhwc_to_nchw", channels_first},
                      {"odd_reversed_axes", reversed_axes}});
}
