#include "weft/dist/nccl.hpp"

#include "test.hpp"
#include "weft/dist/init.hpp"

// With NCCL: tests/several_ranks.
TEST_CASE("a process alone is a group without NCCL") {
  const weft::dist::Group g = weft::dist::init();
  CHECK(g.size() == 1);
  CHECK(g.device<weft::Cpu>() == weft::Cpu{});
}

#if defined(WEFT_NCCL) && defined(__CUDACC__)
TEST_CASE("more ranks than a host has GPUs are one sentence") {
  using namespace weft;
  CHECK_SAYS("local rank 99 has no GPU, this host shows ",
             dist::Transport<Cuda>::device(dist::Launch{99, 100, 99}));
}
#endif
