#include "weft/dist/mpi.hpp"

#include "test.hpp"
#include "weft/dist/init.hpp"

// With MPI: tests/several_ranks.
#ifndef WEFT_MPI
TEST_CASE("without MPI two ranks on the CPU are one sentence") {
  const weft::dist::Group g = weft::dist::init();
  CHECK(g.size() == 1);
}
#endif
