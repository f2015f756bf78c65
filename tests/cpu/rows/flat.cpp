// SPDX-License-Identifier: Apache-2.0
#include <weft/cpu/rows/flat.hpp>

#include <cstring>

#include "rows.hpp"
#include "weft/ops/shape/triangle.hpp"
#include "weft/weft.hpp"

using test::apart;
using test::array;
using test::by_rows;
using test::each;
using test::noise;
using test::Row;
using test::tolerance;
using weft::axis;
using weft::keepdims;

namespace {
constexpr std::int64_t lengths[] = {1,  2,  3,  5,  7,  8,  9,  10,  15,  16,  17, 21,
                                    31, 33, 50, 63, 64, 77, 96, 100, 127, 256, 257};

Row entropy(const Row& x) {
  double sum = 0;
  const Row p = test::softmax(x);
  const Row log_p = test::log_softmax(x);
  for (std::size_t i = 0; i < x.size(); ++i) sum -= p[i] * log_p[i];
  return {sum};
}

template <class T>
void check_lengths() {
  for (const std::int64_t n : lengths) {
    CAPTURE(n);
    for (const std::int64_t rows : {1, 70, n < 12 ? 1500 : 200}) {
      const auto x = noise<T>({rows, n}).on(weft::Cpu{});
      const auto given = array(x);
      CHECK(apart(softmax(x, axis(-1)), by_rows(given, 2, test::softmax)) < tolerance<T>);
      CHECK(apart(log_softmax(x, axis(-1)), by_rows(given, 2, test::log_softmax)) < tolerance<T>);
      CHECK(apart(x - mean(x, axis(-1), keepdims), by_rows(given, 2, [](const Row& v) {
                    const double m = test::average(v);
                    return each(v, [=](double e) { return e - m; });
                  })) < tolerance<T>);
      CHECK(apart(-sum(softmax(x, axis(-1)) * log_softmax(x, axis(-1)), axis(-1), keepdims),
                  by_rows(given, 2, entropy)) < 8 * tolerance<T>);
    }
  }
}
}  // namespace

TEST_CASE("a value for each element of its row, and nothing far behind the last") {
  const auto check = [](auto number, std::int64_t m) {
    using T = decltype(number);
    const T from[] = {T(1), T(0), T(2), T(0), T(3), T(0)};
    std::vector<T> to(static_cast<std::size_t>(3 * m + 80), T(9));
    weft::cpu::detail::repeat_values(reinterpret_cast<const char*>(from), 2 * sizeof(T), 3, m,
                                     sizeof(T), reinterpret_cast<char*>(to.data()));
    for (std::int64_t i = 0; i < 3 * m; ++i) CHECK(to[static_cast<std::size_t>(i)] == T(1 + i / m));
    const auto end = 3 * m + weft::cpu::detail::repeat_slack / static_cast<std::int64_t>(sizeof(T));
    for (auto i = static_cast<std::size_t>(end); i < to.size(); ++i) CHECK(to[i] == T(9));
  };
  for (const std::int64_t m : {1, 2, 7, 8, 9, 21}) {
    check(float{}, m);
    check(double{}, m);
    check(std::int16_t{}, m);
    check(std::int8_t{}, m);
  }
}

TEST_CASE("short rows of every length: float") { check_lengths<float>(); }
TEST_CASE("short rows of every length: double") { check_lengths<double>(); }
TEST_CASE("short rows of every length: half") { check_lengths<weft::half>(); }
TEST_CASE("short rows of every length: bfloat16") { check_lengths<weft::bfloat16>(); }

TEST_CASE("weights, a value for each row, masks, rows with gaps, in place") {
  for (const std::int64_t n : {3, 8, 21, 63}) {
    CAPTURE(n);
    const auto x = noise<float>({6, 50, n}).on(weft::Cpu{});
    const auto w = noise<float>({n}, 2).on(weft::Cpu{});
    const auto each_row = noise<float>({6, 50, 1}, 3).on(weft::Cpu{});
    const auto each_plane = noise<float>({6, 1, n}, 4).on(weft::Cpu{});
    const auto mask = (noise<float>({50, n}, 5).on(weft::Cpu{}) > 0.F).eval();
    const weft::Tensor inner = where(mask, x * w + each_row * each_plane, -3.F);
    CHECK(apart(softmax(where(mask, x * w + each_row * each_plane, -3.F), axis(-1)),
                by_rows(array(inner), 4, test::softmax)) < 1e-5);
    // Outputs of one element a row, beside other operands of one a row.
    const weft::Tensor scaled = logsumexp(inner, axis(-1), keepdims);
    CHECK(allclose(log(sum(exp(inner), axis(-1), keepdims)) * each_row, scaled * each_row,
                   {1e-4, 1e-5}));
    // Rows with gaps, turned rows, rows backwards, an outer axis of few rows.
    const auto wide = noise<float>({9, 40, n + 4}).on(weft::Cpu{});
    for (const auto& y : {wide(weft::all, weft::all, weft::slice(2, n + 2)),
                          wide(weft::all, weft::slice(0, weft::none, 3), weft::slice(0, n)),
                          wide.transpose(1, 2)(weft::all, weft::slice(0, n), weft::all),
                          wide.flip(0), wide.flip(2)}) {
      CHECK(apart(softmax(y, axis(-1)), by_rows(array(y), 4, test::softmax)) < 1e-5);
      CHECK(apart(log_softmax(y * 2.F, axis(-1)),
                  by_rows(array((y * 2.F).eval()), 4, test::log_softmax)) < 1e-5);
      const auto target = y.clone();
      target.assign(softmax(target, axis(-1)));
      CHECK(apart(target, by_rows(array(y), 4, test::softmax)) < 1e-5);
      y.assign(softmax(y, axis(-1)));
      CHECK(allclose(y, target, {1e-6, 1e-7}));
    }
    const auto ids = weft::index_along(x.shape(), axis(2));
    const weft::Tensor apart_of = x - max(x, axis(2), keepdims);
    CHECK(allclose(exp(x - max(x, axis(2), keepdims)) * weft::cast<float>(ids),
                   exp(apart_of) * weft::cast<float>(ids), {1e-5, 1e-6}));
  }
}

TEST_CASE("two operands of a row, and NaN in one row alone") {
  const auto x = noise<float>({300, 21}).on(weft::Cpu{});
  const auto y = noise<float>({300, 21}, 2).on(weft::Cpu{});
  const auto p = log_softmax(x, axis(-1));
  const auto q = log_softmax(y, axis(-1));
  const weft::Tensor p_known = p, q_known = q;
  CHECK(allclose(sum(exp(p) * (p - q), axis(-1)),
                 sum((exp(p_known) * (p_known - q_known)).eval(), axis(-1)), {1e-4, 1e-5}));
  x.data()[21 * 7 + 20] = NAN;
  CHECK(apart(softmax(x, axis(-1)), by_rows(array(x), 2, [](const Row& v) {
                return std::isnan(test::largest(v)) ? Row(v.size(), NAN) : test::softmax(v);
              })) < 1e-5);
  const auto none = weft::zeros({0, 21});
  CHECK(softmax(none, axis(-1)).eval().shape() == weft::Shape{0, 21});
}

TEST_CASE("bits depend neither on threads nor on where a batch begins") {
  const auto x = noise<float>({20011, 21}).on(weft::Cpu{});
  const int before = weft::num_threads();
  weft::set_num_threads(1);
  const weft::Tensor one = softmax(x * 1.5F, axis(-1));
  weft::set_num_threads(3);
  const weft::Tensor three = softmax(x * 1.5F, axis(-1));
  weft::set_num_threads(before);
  CHECK(std::memcmp(one.data(), three.data(), sizeof(float) * 20011 * 21) == 0);
  const weft::Tensor tail = softmax(x(weft::slice(5, weft::none)) * 1.5F, axis(-1));
  CHECK(std::memcmp(one.data() + 5 * 21, tail.data(), sizeof(float) * 20006 * 21) == 0);
}

TEST_CASE("a shared part that is the same in all rows") {
  for (const std::int64_t n : {5, 21, 200, 3000}) {
    CAPTURE(n);
    const auto x = noise<float>({300, n}).on(weft::Cpu{});
    const auto b = noise<float>({n}, 2).on(weft::Cpu{});
    const auto h = weft::exp(b.expand({300, n}));
    const weft::Tensor known = weft::exp(b);
    CHECK(allclose(x * (h - mean(h, axis(-1), keepdims)),
                   x * (known - mean(known, axis(-1), keepdims)), {1e-5, 1e-5}));
  }
}

TEST_CASE("rows are one run wherever their strides are kept") {
  using namespace weft::cpu::detail;
  OutputFunctions store{};
  store.flat = Flat::functions;
  const OutputFunctions* stores[] = {&store};
  const bool computed[] = {false};
  const RowFunctions loops{1, 1, 0, computed, nullptr, stores, nullptr};
  weft::detail::RowTask task;
  task.along_row[0] = true;
  weft::detail::Loops outer{1, {1000}};
  weft::detail::Loops inner{1, {21}};
  weft::detail::Operand across[2];
  weft::detail::Operand along[2];
  for (int i = 0; i < 2; ++i) {
    across[i].itemsize = along[i].itemsize = 4;
    across[i].stride[0] = 21;
    across[i].stride[1] = along[i].stride[0] = 1;
  }
  RowScratch::Memory memory{};
  memory.used = 3;
  CHECK(
      FlatRows{{loops, task, nullptr, outer, across, inner, across, 1, nullptr}}.possible(memory));
  CHECK(FlatRows{{loops, task, nullptr, outer, across, inner, along, 0, nullptr}}.possible(memory));
  across[0].stride[0] = 24;  // rows with gaps
  CHECK(
      !FlatRows{{loops, task, nullptr, outer, across, inner, across, 1, nullptr}}.possible(memory));
  CHECK(
      !FlatRows{{loops, task, nullptr, outer, across, inner, along, 0, nullptr}}.possible(memory));
}
