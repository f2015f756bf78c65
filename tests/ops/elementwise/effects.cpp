// SPDX-License-Identifier: Apache-2.0
#include <weft/ops/elementwise/effects.hpp>

#include "test.hpp"

using weft::Effects;

namespace {

struct Plain {};
struct Acts {
  static constexpr bool has_effects = true;
  static constexpr bool finds_places = true;
};
struct Calls {
  static constexpr bool calls_user = true;
};
struct Draws {
  struct {
    void resolve() {}
  } draw;
};

}  // namespace

TEST_CASE("an operation's effects are those that it declares") {
  CHECK(Effects::of<Plain>() == 0);
  CHECK(Effects::of<Acts>() == (Effects::acts | Effects::places));
  CHECK(Effects::of<Calls>() == Effects::calls);
  CHECK(Effects::of<Draws>() == Effects::draws);
  CHECK(Effects::any == (Effects::draws | Effects::acts | Effects::places | Effects::calls));
}
