#include "weft/cuda/linalg/cudnn.hpp"

#include "test.hpp"

#if defined(WEFT_CUDNN)
TEST_CASE("cuDNN's status is a sentence") {
  CHECK_SAYS("[f]", weft::cuda::check(CUDNN_STATUS_BAD_PARAM, "f", "details"));
}
#else
TEST_CASE("this build is without cuDNN") {}
#endif
