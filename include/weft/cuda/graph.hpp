// Graph and capture: statements that are recorded once and then replayed with one launch.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/cuda/pinned.hpp"
#include "weft/cuda/runtime/launch_observer.hpp"
#include "weft/cuda/synchronize.hpp"

namespace weft::on_cuda {

namespace detail {
/// What the first kernel of a graph that draws random numbers writes at each replay.
struct DrawOrigins {
  DrawOrigin* out = nullptr;
  int size = 0;
  DrawOrigin values[DrawRecorder::capacity];
};

#if defined(__CUDACC__)
template <class Origins>
__global__ void set_draw_origins(const __grid_constant__ Origins origins) {
  const int i = static_cast<int>(threadIdx.x);
  if (i < origins.size) origins.out[i] = origins.values[i];
}
#endif

struct GraphState {
  Recording recorded;
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t ready = nullptr;
  cudaGraphNode_t origins = nullptr;  // null where no random numbers are drawn
  const void* origins_kernel = nullptr;
  int kernels = 0;
  int memsets = 0;
  int copies = 0;

  GraphState() = default;
  GraphState(const GraphState&) = delete;
  GraphState& operator=(const GraphState&) = delete;
  /// A replay under way is finished by CUDA; memory waits for it as for any other use.
  WEFT_ONCE ~GraphState() {
    if (leaving()) return;
    const RelaxedCapture relaxed;
    if (ready != nullptr) quiet(cudaGraphExecDestroy(ready));
    if (graph != nullptr) quiet(cudaGraphDestroy(graph));
  }

  /// Moves the generators on by one run's draws, which the next launch makes.
  [[gnu::noinline]] void draw() {
    if (origins == nullptr) return;
    DrawOrigins next;
    next.out = recorded.draws.origins;
    next.size = recorded.draws.size;
    for (int i = 0; i < next.size; ++i) {
      const DrawRecorder::Source& source = recorded.draws.sources[i];
      next.values[i].seed = source.generator->seed();
      next.values[i].shift = source.generator->skip(source.count) - source.start;
    }
    void* arguments[] = {&next};
    cudaKernelNodeParams launch = {};
    launch.func = const_cast<void*>(origins_kernel);
    launch.gridDim = dim3(1);
    launch.blockDim = dim3(DrawRecorder::capacity);
    launch.kernelParams = arguments;
    check(cudaGraphExecKernelNodeSetParams(ready, origins, &launch), "Graph::replay");
  }
};

class Capture;
}  // namespace detail

/// Captured statements, ready to be replayed. Keeps all memory that they use alive, both of tensors
/// created before the capture and of those created in it. Must not be replayed by two threads at
/// once.
class Graph {
 public:
  Graph() = default;
  Graph(Graph&& other) noexcept : state_(other.state_) { other.state_ = nullptr; }
  Graph& operator=(Graph&& other) noexcept {
    detail::GraphState* const mine = state_;
    state_ = other.state_;
    other.state_ = mine;
    return *this;
  }
  ~Graph() { delete state_; }

  /// Runs the statements once more on the current stream, ordered with other work on their tensors
  /// as a statement is; draws new random numbers. The calling thread does not wait.
  [[gnu::noinline]] void replay() {
    if (state_ == nullptr)
      fail<ValueError>("Graph::replay", "an empty graph, expected a captured one");
    detail::GraphState& state = *state_;
    check_failures();
    const Cuda device{state.recorded.ordinal};
    const DeviceGuard guard(device);
    const Stream stream = current_stream(device);
    refuse_capture(stream, "Graph::replay");
    for (const detail::Recorded& use : state.recorded.uses) {
      if (use.written) {
        order_write(use.storage.get(), stream);
        use.storage->bump_version();
      } else {
        order_read(use.storage.get(), stream);
      }
    }
    state.draw();
    {
      const detail::ObservedLaunch observed({"graph"}, detail::copy_observer);
      check(cudaGraphLaunch(state.ready, stream.handle()), "Graph::replay");
    }
    for (const StorageHandle& block : state.recorded.pinned) note_pinned_use(block.get(), stream);
    if (sync_requested()) stream.synchronize();
  }

  /// True unless it is empty (default-constructed or moved from).
  explicit operator bool() const { return state_ != nullptr; }

  /// The number of kernels, without the one that sets up random numbers.
  int kernels() const { return state_ != nullptr ? state_->kernels : 0; }
  int memsets() const { return state_ != nullptr ? state_->memsets : 0; }
  int copies() const { return state_ != nullptr ? state_->copies : 0; }

  /// The bytes allocated in the capture, including results.
  int64_t memory() const {
    int64_t bytes = 0;
    if (state_ == nullptr) return 0;
    for (const detail::Recorded& use : state_->recorded.uses) {
      if (use.own) bytes += static_cast<const CudaStorage*>(use.storage.get())->capacity;
    }
    return bytes;
  }

  /// CUDA's handle, for inspection (cudaGraphDebugDotPrint); null if empty.
  cudaGraph_t handle() const { return state_ != nullptr ? state_->graph : nullptr; }

 private:
  friend class detail::Capture;
  explicit Graph(detail::GraphState* state) : state_(state) {}

  detail::GraphState* state_ = nullptr;
};

namespace detail {
/// A capture in progress on a stream of its own, which is the thread's current one meanwhile.
class Capture {
 public:
  explicit Capture(Cuda device)
      : ordinal_(prepared(device)),
        stream_(take_capture_stream(ordinal_)),
        guard_(Stream::borrow(stream_, Cuda{ordinal_})) {}
  Capture(const Capture&) = delete;
  Capture& operator=(const Capture&) = delete;

  WEFT_ONCE ~Capture() {
    if (recording_slot() != nullptr) quiet(stop());
    put_capture_stream(ordinal_, stream_);
    delete state_;
  }

  WEFT_ONCE void begin(const void* origins_kernel) {
    state_ = new GraphState;
    Recording& recorded = state_->recorded;
    recorded.ordinal = ordinal_;
    {
      const StreamGuard outside(default_stream(Cuda{ordinal_}));
      const int64_t bytes = sizeof(DrawOrigin[DrawRecorder::capacity]);
      recorded.uses.push_back({StorageHandle(Memory<Cuda>::allocate(Cuda{ordinal_}, bytes)), true});
      recorded.draws.origins = static_cast<DrawOrigin*>(recorded.uses[0].storage->data);
    }
    recorded.streams.push_back(stream_);
    start_recording(recorded);
    check(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal), "capture");
    recorded.capture = capture_id(stream_);
    DrawOrigins none;
    void* arguments[] = {&none};
    state_->origins_kernel = origins_kernel;
    check(cudaLaunchKernel(origins_kernel, dim3(1), dim3(1), arguments, 0, stream_), "capture");
  }

  WEFT_ONCE Graph end() {
    check(stop(), "capture", "a stream that waits for the captured one must be waited for by it");
    GraphState& state = *state_;
    std::size_t count = 1;
    cudaGraphNode_t first = nullptr;
    check(cudaGraphGetRootNodes(state.graph, &first, &count), "capture");
    if (state.recorded.draws.size > 0) {
      state.origins = first;
    } else {
      check(cudaGraphDestroyNode(first), "capture");
      state.recorded.uses.remove(0);
    }
    count_nodes(state);
    const RelaxedCapture relaxed;
    // A library that allocates in a capture, as cuBLAS may, does not always free there.
    check(cudaGraphInstantiate(&state.ready, state.graph, cudaGraphInstantiateFlagAutoFreeOnLaunch),
          "capture", "making a graph of ", state.kernels, " kernels ready");
    state_ = nullptr;
    return Graph(&state);
  }

 private:
  /// Initialises what is made at first use, which must not happen in a capture.
  static int prepared(Cuda device) {
    const Cuda there{resolve(device)};
    if (recording_slot() != nullptr) {
      fail<DeviceError>("capture",
                        "a capture in a capture, expected one after the other, or one of ",
                        "both functions in turn");
    }
    refuse_capture(current_stream(there), "capture");
    default_stream(there);
    allocator(there);
    properties(there);
    failure_flag(there);
    const PooledEvent event(there.ordinal);
    return there.ordinal;
  }

  cudaError_t stop() noexcept {
    const cudaError_t status = cudaStreamEndCapture(stream_, &state_->graph);
    stop_recording();
    leave_streams(state_->recorded);
    return status;
  }

  static void count_nodes(GraphState& state) {
    std::size_t count = 0;
    check(cudaGraphGetNodes(state.graph, nullptr, &count), "capture");
    std::vector<cudaGraphNode_t> nodes(count);
    if (count > 0) check(cudaGraphGetNodes(state.graph, nodes.data(), &count), "capture");
    for (cudaGraphNode_t node : nodes) {
      cudaGraphNodeType type{};
      check(cudaGraphNodeGetType(node, &type), "capture");
      state.kernels += type == cudaGraphNodeTypeKernel && node != state.origins;
      state.memsets += type == cudaGraphNodeTypeMemset;
      state.copies += type == cudaGraphNodeTypeMemcpy;
    }
  }

  int ordinal_;
  cudaStream_t stream_;
  StreamGuard guard_;
  GraphState* state_ = nullptr;
};
}  // namespace detail

/// Records the GPU work of f() without executing it: `auto step = capture([&] { z = x + z; });` and
/// then `step.replay()` as often as wanted. Tensors keep their memory from one replay to the next:
/// one that is written in f, in place or by `z = e`, has its value after each replay. Numbers keep
/// their value from the capture, tensors are read at each replay; host code runs once, during the
/// capture.
template <class F>
Graph capture([[maybe_unused]] F&& f, [[maybe_unused]] Cuda device = {}) {
#if defined(__CUDACC__)
  detail::Capture running(device);
  running.begin(reinterpret_cast<const void*>(detail::set_draw_origins<detail::DrawOrigins>));
  static_cast<F&&>(f)();
  return running.end();
#else
  static_assert(weft::detail::always_false<F>,
                "weft: statements are captured in a file that nvcc compiles: move the call of "
                "capture to a .cu file");
  return {};
#endif
}

}  // namespace weft::on_cuda
