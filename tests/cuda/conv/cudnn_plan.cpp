#include "weft/cuda/conv/cudnn_plan.hpp"

#include "test.hpp"

#if defined(WEFT_CUDNN)
using namespace weft;

TEST_CASE("what cuDNN is told of a convolution") {
  weft::cuda::detail::CudnnProblem to;
  const auto p = conv::plan("f", {2, 4, 9}, {6, 2, 3}, 1, {.stride = 2, .padding = 1, .groups = 2});
  CHECK(weft::cuda::detail::describe_cudnn(p, false, to));
  CHECK(to.axes == 2);
  CHECK(to.image[2] == 1);
  CHECK(to.image[3] == 9);
  CHECK(to.result[3] == 5);
  CHECK(to.stride[1] == 2);
  const auto odd = conv::plan("f", {2, 4, 9}, {6, 4, 4}, 1, {.padding = Padding::same});
  CHECK(!weft::cuda::detail::describe_cudnn(odd, false, to));
}
#else
TEST_CASE("this build is without cuDNN") {}
#endif
