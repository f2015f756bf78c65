// SPDX-License-Identifier: Apache-2.0
#include <weft/cpu/elementwise/drawn.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "reference.hpp"
#include "test.hpp"
#include "weft/arrays.hpp"

using weft::Draw;
using weft::Positions;
using weft::Shape;

namespace {

constexpr Draw draw{11, 4};

/// Every number of a block is the one of its position, wherever the block begins and whatever the
/// step.
template <class Op>
void check_blocks(const Op& op, double limit = 0) {
  using Held = typename weft::cpu::detail::DrawnAhead<Op>::Held;
  alignas(64) static char room[weft::cpu::detail::drawn_bytes<Op>];
  double worst = 0;
  for (long long first : {0LL, 1LL, 2LL, 3LL, 1021LL, (1LL << 34) - 7}) {
    for (long long step : {1, 0, 3, 5, -1}) {
      for (std::int64_t n : {1, 2, 5, 33, 300, weft::cpu::block_size}) {
        if (step < 0 && first < n) continue;
        const Held* const held =
            weft::cpu::detail::draw_ahead(op, first, step, n, reinterpret_cast<Held*>(room));
        for (std::int64_t i = 0; i < n; ++i) {
          const auto value = static_cast<double>(weft::cpu::detail::drawn_value(op, held[i]));
          const auto expected = static_cast<double>(op.value(first + i * step));
          // Compared first: a compiler may fuse the difference with a product that `expected` is.
          if (value != expected) worst = std::max(worst, std::fabs(value - expected));
        }
      }
    }
  }
  CHECK(worst <= limit);
}

}  // namespace

TEST_CASE("numbers drawn ahead are those of their positions") {
  check_blocks(weft::op::uniform<float>{draw});
  check_blocks(weft::op::uniform<double>{draw});
  check_blocks(weft::op::uniform<weft::half>{draw});
  check_blocks(weft::op::uniform<weft::bfloat16>{draw});
  check_blocks(weft::op::normal<float>{draw}, 5e-7);  // a compiler may fuse one and not the other
  check_blocks(weft::op::normal<weft::half>{draw}, 5e-7);
  check_blocks(weft::op::normal<double>{draw});
  check_blocks(weft::op::trials<bool>(draw, 0.3));
  check_blocks(weft::op::trials<float>(draw, 1));
  check_blocks(weft::op::integers<std::int8_t>{draw, static_cast<std::uint64_t>(-7), 100});
  check_blocks(weft::op::integers<std::int64_t>{draw, 3, 0xFFFFFFFF});
  check_blocks(weft::op::integers<std::int64_t>{draw, 3, std::uint64_t{1} << 32});
  check_blocks(weft::op::integers<std::uint64_t>{draw, 0, std::uint64_t{1} << 63});
}

TEST_CASE("a draw has the same numbers in every statement") {
  const Shape shape{7, 531};
  const auto numbers = weft::generated(shape, weft::op::normal<float>{draw});
  const auto coins = weft::generated(shape, weft::op::trials<bool>(draw, 0.4));
  const weft::Tensor<float> plain = numbers;
  const weft::Tensor<bool> heads = coins;
  const auto x = weft::arange<float>(1, 7 * 531 + 1).reshape(shape);
  const weft::Tensor<std::int64_t> backwards = weft::arange<std::int64_t>(6, -1, -1);

  SUBCASE("in larger ones") {
    const weft::Tensor<float> y = weft::where(coins, x, 0.F) + numbers;
    CHECK(weft::equal(y, weft::where(heads, x, 0.F) + plain));
  }
  SUBCASE("in halves") {
    const weft::Tensor<weft::half> y = weft::cast<weft::half>(numbers * 2.F);
    CHECK(weft::equal(y, weft::cast<weft::half>(plain * 2.F)));
  }
  SUBCASE("beside gathers") {
    const weft::Tensor<float> y = weft::take(x, backwards, weft::axis(0)) * numbers;
    CHECK(weft::equal(y, weft::take(x, backwards, weft::axis(0)) * plain));
  }
  SUBCASE("gathered") {
    const weft::Tensor<float> y = weft::take(numbers + x, backwards, weft::axis(0)) * 1.F;
    CHECK(weft::allclose(y, weft::take(plain + x, backwards, weft::axis(0)) * 1.F));
    const weft::Tensor<float> z = weft::take(weft::where(coins, x, 0.F), backwards, weft::axis(0));
    CHECK(weft::equal(z, weft::take(weft::where(heads, x, 0.F), backwards, weft::axis(0))));
  }
  SUBCASE("flipped") {
    const weft::Tensor<float> y = weft::flip(weft::where(coins, x, 0.F), weft::axis(1)) + numbers;
    CHECK(weft::equal(y, weft::flip(weft::where(heads, x, 0.F), weft::axis(1)) + plain));
  }
  SUBCASE("broadcast and transposed") {
    const auto row = weft::generated({531}, weft::op::uniform<float>{draw});
    const weft::Tensor<float> one = row;
    weft::Tensor<float> y = weft::zeros({531, 7}).t();
    y.assign(row + numbers);
    CHECK(weft::equal(y, one + plain));
  }
  SUBCASE("in rows") {
    const auto row = weft::axis(-1);
    const weft::Tensor<float> y =
        weft::where(coins, x - weft::max(x, row, weft::keepdims), 0.F) + numbers;
    CHECK(weft::equal(y, weft::where(heads, x - weft::max(x, row, weft::keepdims), 0.F) + plain));
  }
  SUBCASE("in statements of several targets") {
    auto y = weft::zeros<float>(shape);
    auto z = weft::zeros<float>(shape);
    weft::tie(y, z) = weft::fuse(weft::where(coins, x, 0.F), numbers * 2.F);
    CHECK(weft::equal(y, weft::where(heads, x, 0.F)));
    CHECK(weft::equal(z, plain * 2.F));
  }
  SUBCASE("with probabilities of their own") {
    const auto p = weft::generated(shape, weft::op::uniform<float>{Draw{2, 3}});
    const weft::Tensor<float> chances = p;
    const weft::op::trials<bool> op(draw);
    const weft::Tensor<bool> y =
        weft::Map<bool, weft::op::trials<bool>, Positions, weft::Tensor<float>>(
            op, Positions(shape), chances);
    const auto expected = chances.to_vector();
    const auto found = y.to_vector();
    for (std::size_t i = 0; i < found.size(); ++i) {
      REQUIRE(found[i] == op.value(static_cast<long long>(i), expected[i]));
    }
  }
}
