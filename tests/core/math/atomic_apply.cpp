#include "weft/core/math/atomic_apply.hpp"

#include "test.hpp"

TEST_CASE("an element becomes a function of itself and a value") {
  const auto larger = [](auto x, auto y) { return x > y ? x : y; };
  std::int8_t small = 3;
  weft::detail::atomic_apply(&small, std::int8_t{5}, larger);
  CHECK(small == 5);
  weft::half number(2.0F);
  weft::detail::atomic_apply(&number, 1.0F, [](float x, float y) { return x / 4 + y; });
  CHECK(static_cast<float>(number) == 1.5F);
}
