#include "weft/dist/nccl.hpp"

#include "test.hpp"
#include "weft/dist/init.hpp"

// With NCCL: tests/several_ranks.
TEST_CASE("a process alone is a group without NCCL") {
  const weft::dist::Group g = weft::dist::init();
  CHECK(g.size() == 1);
  CHECK(g.device<weft::Cpu>() == weft::Cpu{});
}
