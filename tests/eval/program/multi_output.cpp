#include "weft/eval/program/multi_output.hpp"

#include "test.hpp"

using namespace weft;

namespace {
struct Both {
  using values = detail::TypeList<float, double>;
  Stores stores;
};
}  // namespace

TEST_CASE("what is a joint program, and what its bits say") {
  static_assert(MultiOutputProgram<Both>);
  static_assert(!MultiOutputProgram<Arg<1, float>>);
  const Stores stores{0b101, 0b100, 0b001};
  CHECK(stores.next().wanted == 0b10);
  CHECK(stores.next().adds == 0b10);
  CHECK(stores.next().sums == 0);
}
