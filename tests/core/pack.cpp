// SPDX-License-Identifier: Apache-2.0
#include <weft/core/pack.hpp>

#include <string>

#include "test.hpp"

static_assert(std::is_trivially_copyable_v<weft::Pack<int, double, char>>);
static_assert(std::is_aggregate_v<weft::Pack<int>> && std::is_empty_v<weft::Pack<>>);

TEST_CASE("a pack holds values in order") {
  constexpr auto pack = weft::make_pack(1, 2.5, 'c');
  static_assert(std::is_same_v<decltype(pack), const weft::Pack<int, double, char>>);
  static_assert(weft::get<0>(pack) == 1 && weft::get<1>(pack) == 2.5 && weft::get<2>(pack) == 'c');
  auto copy = pack;
  weft::get<1>(copy) = 7;
  CHECK(weft::get<1>(copy) == 7);
  CHECK(weft::get<0>(copy) == 1);
  CHECK(weft::get<2>(copy) == 'c');
}

TEST_CASE("values are moved in") {
  const std::string text(100, 'x');
  auto pack = weft::make_pack(0, std::string(text));
  CHECK(weft::get<1>(pack) == text);
}

TEST_CASE("a pack for kernels") {
  constexpr auto pack = weft::pack_of(1, 2.5F);
  static_assert(std::is_same_v<decltype(pack), const weft::Pack<int, float>>);
  CHECK(weft::get<1>(pack) == 2.5F);
}

namespace {

/// Can be made, not moved.
struct Fixed {
  [[maybe_unused]] static constexpr bool is_expression = true;
  explicit Fixed(int v) : value(v) {}
  Fixed(const Fixed&) = delete;
  int value;
};
struct MakeFixed {
  [[maybe_unused]] static constexpr bool makes_operands = true;
  Fixed operator()(int v) const { return Fixed(v); }
};

}  // namespace

TEST_CASE("values of other types are made in their place") {
  const weft::Pack<Fixed, Fixed, Fixed> pack(MakeFixed{}, 1, 2, 3);
  CHECK(pack.head.value == 1);
  CHECK(weft::get<1>(pack).value == 2);
  CHECK(weft::get<2>(pack).value == 3);
}
