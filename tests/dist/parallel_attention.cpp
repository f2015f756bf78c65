#include "weft/dist/parallel_attention.hpp"

#include "test.hpp"
#include "weft/autograd.hpp"

using namespace weft;

// With several ranks: tests/several_ranks/parallel.cpp.
TEST_CASE("on one rank the heads are all heads") {
  manual_seed(1);
  const nn::MultiheadAttention<> whole(8, 2);
  manual_seed(1);
  const dist::ParallelAttention<> part(8, 2, dist::Group());
  const Var<float> x = randn({3, 2, 8});
  CHECK(allclose(part(x, x, x).value(), whole(x, x, x).value()));
  CHECK_SAYS("expected (length, batch, width) of width 8", part(x, x, Var<float>(zeros({3, 8}))));
}
