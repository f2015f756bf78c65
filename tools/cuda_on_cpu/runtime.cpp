// Stands in for the CUDA runtime: memory is the host's, and each thread of a block is a fiber.
// SPDX-License-Identifier: Apache-2.0
#include <cuda_runtime.h>
#include <ucontext.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <vector>

struct Place {
  unsigned x = 0;
  unsigned y = 0;
  unsigned z = 0;
};
Place threadIdx;
Place blockIdx;
Place blockDim;
Place gridDim;

namespace on_cpu {

using Launch = void (*)(const void* kernel, void** arguments);

namespace {

constexpr unsigned most_threads = 1024;
constexpr std::size_t stack_bytes = 256 * 1024;

enum class State { runs, waits_for_warp, waits_for_block, has_ended };

struct Fiber {
  ucontext_t context;
  State state = State::has_ended;
  bool value = false;
  std::unique_ptr<char[]> stack{new char[stack_bytes]};
};

alignas(128) char shared[256 * 1024];
alignas(16) char exchanged[most_threads][64];
std::vector<Fiber> fibers;
ucontext_t scheduler;
unsigned running;
bool any_value;
const void* kernel_now;
void** arguments_now;

std::map<const void*, Launch>& kernels() {
  static std::map<const void*, Launch> all;
  return all;
}

void leave(State state) {
  fibers[running].state = state;
  swapcontext(&fibers[running].context, &scheduler);
}
void enter() {
  kernels().at(kernel_now)(kernel_now, arguments_now);
  leave(State::has_ended);
}

void begin(unsigned i) {
  Fiber& f = fibers[i];
  f.state = State::runs;
  getcontext(&f.context);
  f.context.uc_stack.ss_sp = f.stack.get();
  f.context.uc_stack.ss_size = stack_bytes;
  f.context.uc_link = nullptr;
  makecontext(&f.context, enter, 0);
}

/// Lets those of some threads that wait go on, if none of them runs or waits for something else.
bool release(unsigned first, unsigned last, State waiting) {
  bool any = false;
  bool other = false;
  for (unsigned i = first; i < last; ++i) {
    any = any || fibers[i].state == waiting;
    other = other || (fibers[i].state != waiting && fibers[i].state != State::has_ended);
  }
  if (!any || other) return false;
  any_value = false;
  for (unsigned i = first; i < last; ++i) {
    if (fibers[i].state != waiting) continue;
    any_value = any_value || fibers[i].value;
    fibers[i].state = State::runs;
  }
  return true;
}

void run_block(unsigned threads) {
  if (fibers.size() < threads) fibers.resize(threads);
  std::memset(shared, 0xA5, sizeof(shared));
  for (unsigned i = 0; i < threads; ++i) begin(i);
  for (bool all_ended = false; !all_ended;) {
    bool progress = false;
    for (unsigned i = 0; i < threads; ++i) {
      if (fibers[i].state != State::runs) continue;
      running = i;
      threadIdx = {i % blockDim.x, i / blockDim.x % blockDim.y, i / blockDim.x / blockDim.y};
      swapcontext(&scheduler, &fibers[i].context);
      progress = true;
    }
    all_ended = true;
    for (unsigned i = 0; i < threads; ++i) {
      all_ended = all_ended && fibers[i].state == State::has_ended;
    }
    for (unsigned w = 0; w < threads; w += 32) {
      const unsigned last = w + 32 < threads ? w + 32 : threads;
      progress = release(w, last, State::waits_for_warp) || progress;
    }
    progress = release(0, threads, State::waits_for_block) || progress;
    if (!progress && !all_ended) {
      std::fputs("cuda_on_cpu: threads of a block wait for others that wait elsewhere\n", stderr);
      std::abort();
    }
  }
}

cudaError_t launch(const void* kernel, dim3 grid, dim3 block, void** arguments) {
  if (kernels().count(kernel) == 0) {
    std::fputs("cuda_on_cpu: a kernel whose address was not taken by address()\n", stderr);
    std::abort();
  }
  kernel_now = kernel;
  arguments_now = arguments;
  gridDim = {grid.x, grid.y, grid.z};
  blockDim = {block.x, block.y, block.z};
  for (unsigned z = 0; z < grid.z; ++z) {
    for (unsigned y = 0; y < grid.y; ++y) {
      for (unsigned x = 0; x < grid.x; ++x) {
        blockIdx = {x, y, z};
        run_block(block.x * block.y * block.z);
      }
    }
  }
  return cudaSuccess;
}

cudaError_t allocate(void** p, std::size_t bytes) {
  *p = std::aligned_alloc(512, (bytes + 511) / 512 * 512 + 512);
  return *p != nullptr ? cudaSuccess : cudaErrorMemoryAllocation;
}
cudaError_t release_memory(void* p) {
  std::free(p);
  return cudaSuccess;
}
/// A handle that stands for nothing.
template <class T>
cudaError_t make(T* handle) {
  static char made[64];
  static unsigned n = 0;
  *handle = reinterpret_cast<T>(&made[n++ % 64]);
  return cudaSuccess;
}

}  // namespace

unsigned lane() { return running % 32; }
char* shared_memory() { return shared; }
void wait_for_warp() { leave(State::waits_for_warp); }
bool wait_for_block(bool value) {
  fibers[running].value = value;
  leave(State::waits_for_block);
  return any_value;
}
void* left_by(unsigned lane) { return exchanged[running / 32 * 32 + lane % 32]; }
void note_kernel(const void* kernel, Launch launch) { kernels()[kernel] = launch; }

}  // namespace on_cpu

extern "C" {

cudaError_t cudaLaunchKernel(const void* kernel, dim3 grid, dim3 block, void** arguments,
                             std::size_t, cudaStream_t) {
  return on_cpu::launch(kernel, grid, block, arguments);
}
cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t* config, const void* kernel,
                                void** arguments) {
  for (unsigned i = 0; i < config->numAttrs; ++i) {
    if (config->attrs[i].id == cudaLaunchAttributeClusterDimension) return cudaErrorNotSupported;
  }
  return on_cpu::launch(kernel, config->gridDim, config->blockDim, arguments);
}
cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* out, const void*) {
  std::memset(out, 0, sizeof(*out));
  out->maxThreadsPerBlock = on_cpu::most_threads;
  out->numRegs = 64;
  return cudaSuccess;
}
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* n, const void*, int,
                                                                   std::size_t, unsigned) {
  *n = 2;
  return cudaSuccess;
}

cudaError_t cudaGetDeviceCount(int* n) {
  *n = 1;
  return cudaSuccess;
}
cudaError_t cudaGetDevice(int* device) {
  *device = 0;
  return cudaSuccess;
}
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* out, int) {
  std::memset(out, 0, sizeof(*out));
  std::strcpy(out->name, "the CPU");
  out->major = 8;
  out->warpSize = 32;
  out->multiProcessorCount = 4;
  out->totalGlobalMem = std::size_t{1} << 33U;
  out->l2CacheSize = 1 << 22;
  out->regsPerMultiprocessor = 65536;
  out->maxThreadsPerMultiProcessor = 2048;
  out->sharedMemPerBlock = 48 * 1024;
  out->sharedMemPerBlockOptin = 200 * 1024;
  out->sharedMemPerMultiprocessor = 220 * 1024;
  return cudaSuccess;
}
cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int) {
  *value = attribute == cudaDevAttrMaxSharedMemoryPerBlockOptin ? 200 * 1024 : 1;
  return cudaSuccess;
}
cudaError_t cudaDeviceCanAccessPeer(int* can, int, int) {
  *can = 0;
  return cudaSuccess;
}
cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
  *least = *greatest = 0;
  return cudaSuccess;
}
cudaError_t cudaDriverGetVersion(int* version) {
  *version = 13000;
  return cudaSuccess;
}
cudaError_t cudaRuntimeGetVersion(int* version) { return cudaDriverGetVersion(version); }
const char* cudaGetErrorName(cudaError_t) { return "cudaErrorNotSupported"; }
const char* cudaGetErrorString(cudaError_t) { return "not there without a GPU"; }

cudaError_t cudaMalloc(void** p, std::size_t bytes) { return on_cpu::allocate(p, bytes); }
cudaError_t cudaMallocFromPoolAsync(void** p, std::size_t bytes, cudaMemPool_t, cudaStream_t) {
  return on_cpu::allocate(p, bytes);
}
cudaError_t cudaHostAlloc(void** p, std::size_t bytes, unsigned) {
  return on_cpu::allocate(p, bytes);
}
cudaError_t cudaFree(void* p) { return on_cpu::release_memory(p); }
cudaError_t cudaFreeAsync(void* p, cudaStream_t) { return on_cpu::release_memory(p); }
cudaError_t cudaFreeHost(void* p) { return on_cpu::release_memory(p); }
cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind,
                            cudaStream_t) {
  std::memmove(to, from, bytes);
  return cudaSuccess;
}
cudaError_t cudaMemsetAsync(void* to, int value, std::size_t bytes, cudaStream_t) {
  std::memset(to, value, bytes);
  return cudaSuccess;
}
cudaError_t cudaMemGetInfo(std::size_t* free, std::size_t* total) {
  *free = *total = std::size_t{1} << 33U;
  return cudaSuccess;
}
cudaError_t cudaMemPoolCreate(cudaMemPool_t* pool, const cudaMemPoolProps*) {
  return on_cpu::make(pool);
}
cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t, cudaMemPoolAttr, void* value) {
  *static_cast<unsigned long long*>(value) = 0;
  return cudaSuccess;
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned) {
  return on_cpu::make(stream);
}
cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned, int) {
  return on_cpu::make(stream);
}
cudaError_t cudaStreamGetCaptureInfo(cudaStream_t, cudaStreamCaptureStatus* status,
                                     unsigned long long*, cudaGraph_t*, const cudaGraphNode_t**,
                                     const cudaGraphEdgeData**, std::size_t*) {
  *status = cudaStreamCaptureStatusNone;
  return cudaSuccess;
}
cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned) { return on_cpu::make(event); }
cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t, cudaEvent_t) {
  *milliseconds = 0;
  return cudaSuccess;
}
}
