#include "weft/cuda/conv/cudnn_fused.hpp"

#include "images.hpp"

#if defined(WEFT_CUDNN)
using namespace weft;

TEST_CASE("[gpu] a plan is made once for a shape, refused where the library has none") {
  namespace detail = weft::on_cuda::detail;
  const weft::on_cuda::Stream stream = weft::on_cuda::current_stream(Cuda{0});
  const detail::CudnnHandle handle("f", 0, stream.handle());
  const auto plan_of = [&](cudnnDataType_t type, unsigned refused) -> const auto& {
    detail::CudnnProblem problem;
    const auto p = conv::plan("f", {2, 64, 12, 12}, {32, 64, 3, 3}, 2, {.padding = 1});
    CHECK(detail::describe_cudnn(p, true, problem));
    problem.type = type;
    problem.math = static_cast<int>(refused);
    return detail::plan_cudnn_fused(handle, problem, 0);
  };
  const auto& first = plan_of(CUDNN_DATA_HALF, 0);
  CHECK(first.found);
  CHECK(&plan_of(CUDNN_DATA_HALF, 0) == &first);
  // Half has no way without tensor cores.
  CHECK(!plan_of(CUDNN_DATA_HALF, 1U << CUDNN_NUMERICAL_NOTE_TENSOR_CORE).found);
}
#else
TEST_CASE("this build is without cuDNN") {}
#endif
