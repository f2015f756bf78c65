#include "weft/core/math/atomic_apply.hpp"

#include "test.hpp"

namespace {
struct Larger {
  template <class T>
  WEFT_HD T operator()(T x, T y) const {
    return x > y ? x : y;
  }
};

struct QuarterPlus {
  WEFT_HD float operator()(float x, float y) const { return x / 4 + y; }
};
}  // namespace

TEST_CASE("an element becomes a function of itself and a value") {
  std::int8_t small = 3;
  weft::detail::atomic_apply(&small, std::int8_t{5}, Larger{});
  CHECK(small == 5);
  weft::half number(2.0F);
  weft::detail::atomic_apply(&number, 1.0F, QuarterPlus{});
  CHECK(static_cast<float>(number) == 1.5F);
}
