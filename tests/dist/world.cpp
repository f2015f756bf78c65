#include "weft/dist/world.hpp"

#include "test.hpp"

using namespace weft;
using dist::World;

TEST_CASE("a limit that makes sense") {
  CHECK(World::limit_of({}).count() == 300);
  CHECK(World::limit_of({2.5}).count() == 2.5);
  CHECK_SAYS("a timeout of -1 s", World::limit_of({-1}));
  setenv("WEFT_TIMEOUT", "7", 1);
  CHECK(World::limit_of({2.5}).count() == 7);
  unsetenv("WEFT_TIMEOUT");
}
