// Runs the tests; built by nvcc and run without a GPU, it leaves out those that need one.
// SPDX-License-Identifier: Apache-2.0
#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>

#ifdef __CUDACC__
#include "weft/cuda.hpp"

#include <cstdio>
#endif

int main(int argc, char** argv) {
  doctest::Context context(argc, argv);
#ifdef __CUDACC__
  if (weft::cuda::is_available()) {
    context.addFilter("test-case-exclude", "*[nogpu]*");
  } else {
    context.addFilter("test-case-exclude", "*weft::Cuda*,*[gpu]*");
    int count = 0;
    const cudaError_t status = cudaGetDeviceCount(&count);
    std::printf("skipped on the GPU: %s\n", cudaGetErrorString(status));
  }
#endif
  return context.run();
}
