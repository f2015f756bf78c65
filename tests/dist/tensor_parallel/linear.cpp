#include "weft/dist/tensor_parallel/linear.hpp"

#include <weft/dist/tensor_parallel/attention.hpp>
#include <weft/dist/tensor_parallel/embedding.hpp>
#include "test.hpp"
#include "weft/autograd.hpp"

using namespace weft;

// With several ranks: tests/several_ranks/parallel.cpp.
TEST_CASE("on one rank the parts are the whole") {
  manual_seed(1);
  const nn::Linear<> whole(4, 6);
  manual_seed(1);
  const dist::ColumnLinear<> columns(4, 6, dist::Group());
  manual_seed(1);
  const dist::RowLinear<> rows(4, 6, dist::Group());
  const Var<float> x = randn({3, 4});
  CHECK(allclose(columns(x).value(), whole(x).value()));
  CHECK(allclose(rows(x).value(), whole(x).value()));
}

TEST_CASE("on one rank the rows are the whole table") {
  manual_seed(1);
  const nn::Embedding<> whole(5, 3);
  manual_seed(1);
  const dist::ParallelEmbedding<> part(5, 3, dist::Group());
  const Tensor<int64_t> index = tensor<int64_t>({4, 0, 2});
  CHECK(equal(part(index).value(), whole(index).value()));
  CHECK_SAYS("5", part(tensor<int64_t>({5})));
}

TEST_CASE("on one rank the heads are all heads") {
  manual_seed(1);
  const nn::MultiheadAttention<> whole(8, 2);
  manual_seed(1);
  const dist::ParallelAttention<> part(8, 2, dist::Group());
  const Var<float> x = randn({3, 2, 8});
  CHECK(allclose(part(x, x, x).value(), whole(x, x, x).value()));
  CHECK_SAYS("expected (length, batch, width) of width 8", part(x, x, Var<float>(zeros({3, 8}))));
}
