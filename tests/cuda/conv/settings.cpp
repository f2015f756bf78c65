#include "weft/cuda/conv/settings.hpp"

#include "test.hpp"

TEST_CASE("how convolutions are computed can be set") {
  using namespace weft::cuda;
  CHECK(use_cudnn());
  CHECK(!measure_convolutions());
  set_use_cudnn(false);
  set_measure_convolutions(true);
  CHECK(!use_cudnn());
  CHECK(measure_convolutions());
  CHECK(convolution_workspace_limit() == 0);
  set_convolution_workspace_limit(1 << 20);
  CHECK(convolution_workspace_limit() == 1 << 20);
  set_use_cudnn(true);
  set_measure_convolutions(false);
  set_convolution_workspace_limit(0);
}
