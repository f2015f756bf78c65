#include "weft/cuda/linalg/cudnn_use.hpp"

#include "test.hpp"
#include "weft/cuda/device.hpp"

TEST_CASE("cuDNN is used unless that is switched off") {
  CHECK(weft::cuda::use_cudnn());
  weft::cuda::set_use_cudnn(false);
  CHECK(!weft::cuda::use_cudnn());
  weft::cuda::set_use_cudnn(true);
}
