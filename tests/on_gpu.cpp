// Runs its arguments as a command where a GPU is usable, else says why it is skipped.
// SPDX-License-Identifier: Apache-2.0
#include <cuda_runtime_api.h>
#include <unistd.h>

#include <cstdio>

int main(int argc, char** argv) {
  int count = 0;
  const cudaError_t status = cudaGetDeviceCount(&count);
  if (status != cudaSuccess || count == 0) {
    std::printf("skipped on the GPU: %s\n", cudaGetErrorString(status));
    return 77;
  }
  if (argc < 2) return 0;
  execvp(argv[1], argv + 1);
  std::perror(argv[1]);
  return 127;
}
