#include "weft/dist/parallel_embedding.hpp"

#include "test.hpp"
#include "weft/autograd.hpp"

using namespace weft;

// With several ranks: tests/several_ranks/parallel.cpp.
TEST_CASE("on one rank the rows are the whole table") {
  manual_seed(1);
  const nn::Embedding<> whole(5, 3);
  manual_seed(1);
  const dist::ParallelEmbedding<> part(5, 3, dist::Group());
  const Tensor<int64_t> index = tensor<int64_t>({4, 0, 2});
  CHECK(equal(part(index).value(), whole(index).value()));
  CHECK_SAYS("5", part(tensor<int64_t>({5})));
}
