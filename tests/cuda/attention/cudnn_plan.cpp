#include "weft/cuda/attention/cudnn_plan.hpp"

#include "test.hpp"

#if defined(WEFT_CUDNN)
using namespace weft;
namespace gpu = weft::on_cuda::detail;

namespace {
gpu::CudnnAttentionProblem problem(int64_t width, bool backward) {
  gpu::CudnnAttentionProblem p;
  p.backward = backward ? 1 : 0;
  p.type = CUDNN_DATA_BFLOAT16;
  p.batches = 2;
  p.heads = 4;
  p.key_heads = 2;
  p.queries = 100;
  p.keys = 60;
  p.width = p.value_width = width;
  p.causal = 1;
  for (int i = 0; i < gpu::CudnnAttentionProblem::arrays; ++i) {
    p.stride[i][2] = p.columns_of(i);
    p.stride[i][1] = p.stride[i][2] * p.rows_of(i);
    p.stride[i][0] = p.stride[i][1] * p.heads_of(i);
  }
  return p;
}
}  // namespace

TEST_CASE("sizes of the arrays of an attention") {
  using P = gpu::CudnnAttentionProblem;
  const P p = problem(64, false);
  CHECK(p.heads_of(P::q) == 4);
  CHECK(p.heads_of(P::dv) == 2);
  CHECK(p.rows_of(P::y) == 100);
  CHECK(p.rows_of(P::dk) == 60);
}

TEST_CASE("[gpu] plans are made once, and a type that cuDNN does not take is known as such") {
  const gpu::CudnnHandle handle("f", 0, nullptr);
  for (const bool backward : {false, true}) {
    const auto asked = problem(64, backward);
    const auto& plan = gpu::plan_cudnn_attention(handle, asked, 0);
    INFO(cudnnGetErrorString(plan.graph.status));
    CHECK(plan.found);
    CHECK(&plan == &gpu::plan_cudnn_attention(handle, problem(64, backward), 0));
    auto wrong = asked;
    wrong.type = CUDNN_DATA_DOUBLE;
    CHECK(!gpu::plan_cudnn_attention(handle, wrong, 0).found);
  }
}
#else
TEST_CASE("this build is without cuDNN") {}
#endif
