// SPDX-License-Identifier: Apache-2.0
#include <weft/cpu/elementwise/element_walk.hpp>

#include "test.hpp"

using weft::Shape;
using weft::detail::Operand;

namespace {

struct Seen {
  std::int64_t calls = 0;
  std::int64_t elements = 0;
  std::int64_t longest = 0;  // row
};
Seen seen;

/// y = x, which counts: the loop of one operand.
void copy(const void*, char* const* at, const std::int64_t*, const std::int64_t* skip,
          std::int64_t rows, std::int64_t n) {
  ++seen.calls;
  seen.elements += rows * n;
  if (n > seen.longest) seen.longest = n;
  for (std::int64_t r = 0; r < rows; ++r) {
    for (std::int64_t i = 0; i < n; ++i) {
      reinterpret_cast<float*>(at[0] + r * skip[0])[i] =
          reinterpret_cast<const float*>(at[1] + r * skip[1])[i];
    }
  }
}

/// Walks through y = x, and says how often the loop was called.
std::int64_t walk(const weft::Tensor<float>& y, const weft::Tensor<float>& x) {
  Operand operands[2];
  operands[0].set(y.data(), sizeof(float), y.shape(), y.strides(), y.storage());
  operands[1].set(x.data(), sizeof(float), x.shape(), x.strides(), x.storage());
  weft::detail::broadcast_operands(operands, 2, y.shape());
  const bool computed[] = {false, false};
  seen = {};
  weft::cpu::detail::for_each_element(y.shape(), operands, 2, 1, computed, copy, nullptr,
                                      weft::cpu::movers<sizeof(float)>);
  return seen.calls;
}

}  // namespace

TEST_CASE("flat operands are one call, and rows at unit stride too") {
  const auto x = weft::arange<float>(60.F).reshape({5, 12}).eval();
  const auto y = weft::zeros({5, 12});
  CHECK(walk(y, x) == 1);
  CHECK(seen.elements == 60);
  CHECK(y.to_vector() == x.to_vector());
  const auto part = y(weft::all, weft::slice(2, 7));
  CHECK(walk(part, x(3, weft::slice(0, 5))) == 1);
  CHECK(seen.elements == 25);
  CHECK(y(4, 6).item() == 40);
  CHECK(y(4, 7).item() == 55);
}

TEST_CASE("other strides go through copies") {
  const auto x = weft::arange<float>(3000.F).eval();
  const auto y = weft::zeros({1500});
  CHECK(walk(y, x(weft::slice(weft::none, weft::none, 2))) > 1);
  CHECK(seen.elements == 1500);
  CHECK(y(1499).item() == 2998);
  const auto transposed = weft::zeros({50, 60});
  walk(transposed, x.reshape({60, 50}).t());
  CHECK(seen.elements == 3000);
  CHECK(transposed(7, 9).item() == 9 * 50 + 7);
}

TEST_CASE("no elements, no call") { CHECK(walk(weft::zeros({0, 3}), weft::zeros({3})) == 0); }

namespace {

/// Whether a statement of three layouts of operands gives each element what it is to have.
template <class F>
bool right_elements(std::int64_t rows, std::int64_t n, const F& layout) {
  const auto all = weft::arange<float>(static_cast<float>(4 * rows * (n + 3))).eval();
  const auto x = layout(all.flatten(), rows, n);
  const auto plain = all(weft::slice(0, rows * n)).reshape({rows, n});
  const auto row = all(weft::slice(5, 5 + n));
  const auto column = all(weft::slice(1, 1 + rows)).reshape({rows, 1});
  const auto bytes = weft::cast<std::int8_t>(weft::remainder(plain, 90.F)).eval();
  weft::Tensor<float> y =
      weft::where(plain > row, x, row * 2.F) + weft::cast<float>(bytes) - column;
  y = y + row;  // in place
  const auto wide = weft::zeros({rows, n + 2});
  wide(weft::all, weft::slice(1, 1 + n)).assign(weft::exp(-weft::abs(x)) + row);
  bool right = wide(0, 0).item() == 0 && wide(rows - 1, n + 1).item() == 0;
  for (std::int64_t r = 0; r < rows; ++r) {
    for (std::int64_t i = 0; i < n; ++i) {
      const float xi = x(r, i).item();
      const float pi = static_cast<float>(r * n + i);
      const float ri = static_cast<float>(5 + i);
      const float expected = ((pi > ri ? xi : ri * 2.F) + static_cast<float>((r * n + i) % 90)) -
                             static_cast<float>(1 + r) + ri;
      right =
          right && y(r, i).item() == expected && wide(r, i + 1).item() == weft::math::exp(-xi) + ri;
    }
  }
  return right;
}

}  // namespace

TEST_CASE("short rows are packed: odd widths, repeated rows, rows apart, turned and flipped ones") {
  for (const std::int64_t n : {1, 2, 3, 7, 16, 17, 33, 64, 65, 100, 129, 255, 256, 257}) {
    for (const std::int64_t rows : {1, 3, 4, 5, 70}) {
      INFO(rows, " rows of ", n);
      CHECK(right_elements(rows, n, [](const auto& x, auto r, auto w) {
        return x(weft::slice(0, r * w)).reshape({r, w});
      }));
      CHECK(right_elements(rows, n, [](const auto& x, auto r, auto w) {
        return x(weft::slice(0, r * (w + 3))).reshape({r, w + 3})(weft::all, weft::slice(2, 2 + w));
      }));
      CHECK(right_elements(rows, n, [](const auto& x, auto r, auto w) {
        return x(weft::slice(0, r * w)).reshape({w, r}).t();
      }));
      CHECK(right_elements(rows, n, [](const auto& x, auto r, auto w) {
        return weft::flip(x(weft::slice(0, r * w)).reshape({r, w}), weft::axis(1)).eval();
      }));
    }
  }
}

TEST_CASE("short rows are one call for many of them where one operand is repeated") {
  const auto x = weft::arange<float>(17.F).eval();
  const auto y = weft::zeros({1000, 17});
  CHECK(walk(y, x) < 10);
  CHECK(seen.elements == 17000);
  CHECK(y(999, 16).item() == 16);
  CHECK(y(192, 0).item() == 0);
}

TEST_CASE("tiles of whole rows are one run each, unless the rows fill their vectors") {
  const auto x = weft::arange<float>(21000.F).eval();
  const auto y = weft::zeros({1000, 21});
  CHECK(walk(y, x.reshape({21, 1000}).t()) == 16);  // of 64 rows
  CHECK(seen.elements == 21000);
  CHECK(seen.longest == 64 * 21);
  CHECK(y(999, 20).item() == 20999);
  CHECK(y(64, 3).item() == 3064);
  walk(weft::zeros({300, 64}), x(weft::slice(0, 19200)).reshape({64, 300}).t());
  CHECK(seen.longest == 64);  // rows fill their vectors
  walk(weft::zeros({200, 100}), x(weft::slice(0, 20000)).reshape({100, 200}).t());
  CHECK(seen.longest == 64);  // no whole rows
}

TEST_CASE("rotary embeddings: two halves of a row, each read twice") {
  for (const std::int64_t n : {4, 32, 33, 300}) {
    CAPTURE(n);
    const auto x = weft::sin(weft::arange<float>(6 * 11 * 2 * n)).eval().reshape({6, 11, 2 * n});
    const auto c = weft::cos(weft::arange<float>(11 * n)).eval().reshape({11, n});
    const auto s = weft::sin(weft::arange<float>(11 * n)).eval().reshape({11, n});
    const auto check = [](const auto& x, const auto& c, const auto& s, std::int64_t n) {
      const auto a = x(weft::all, weft::all, weft::slice(0, n));
      const auto b = x(weft::all, weft::all, weft::slice(n, 2 * n));
      const auto first = (a * c - b * s).eval();
      const auto second = (b * c + a * s).eval();
      auto z = weft::cat(a * c - b * s, b * c + a * s, weft::axis(2)).eval();
      CHECK(equal(z(weft::all, weft::all, weft::slice(0, n)), first));
      CHECK(equal(z(weft::all, weft::all, weft::slice(n, 2 * n)), second));
      auto own = x.clone();
      const auto mine = own(weft::all, weft::all, weft::slice(0, n));
      const auto other = own(weft::all, weft::all, weft::slice(n, 2 * n));
      weft::tie(mine, other) = weft::fuse(mine * c - other * s, other * c + mine * s);
      CHECK(equal(own, z));
    };
    check(x, c, s, n);
    check(weft::cast<weft::half>(x).eval(), weft::cast<weft::half>(c).eval(),
          weft::cast<weft::half>(s).eval(), n);
  }
}
