// Runs the tests; built by nvcc and run without a GPU, it leaves out those that need one.
// SPDX-License-Identifier: Apache-2.0
#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>

#ifdef __CUDACC__
#include "weft/cuda/device.hpp"
#include "weft/cuda/runtime/tuner.hpp"

#include <cstdio>
#include <cstdlib>
#endif

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
/// The OpenMP runtime keeps memory of threads that ended.
extern "C" const char* __lsan_default_suppressions() { return "leak:libomp"; }
#endif
#endif

int main(int argc, char** argv) {
  doctest::Context context(argc, argv);
#ifdef __CUDACC__
  setenv("WEFT_TUNE_FILE", "", 1);  // nothing depends on what was tuned on this machine
  weft::cuda::detail::tuner = nullptr;
  if (weft::cuda::is_available()) {
    context.addFilter("test-case-exclude", "*[nogpu]*");
    std::puts("tests run on a GPU");
  } else {
    context.addFilter("test-case-exclude", "*weft::Cuda*,*[gpu]*");
    int count = 0;
    const cudaError_t status = cudaGetDeviceCount(&count);
    std::printf("skipped on the GPU: %s\n", cudaGetErrorString(status));
  }
#endif
  return context.run();
}
