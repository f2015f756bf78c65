// What the cost model and the planners take for granted, measured on this GPU. calibrate.py builds
// and runs this, and makes a table of what it prints: lines of a word, names, and numbers.
// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "weft/cuda.hpp"
#include "weft/cuda/graph.hpp"
#include "weft/explain.hpp"

using namespace weft;

namespace {

double budget = 0.02;  // seconds for each measurement

/// The seconds of f(), whose statements a graph repeats, so that the host does not count.
template <class F>
double seconds_of(const F& f) {
  constexpr int times = 10;
  f();
  on_cuda::Graph graph = on_cuda::capture([&] {
    for (int i = 0; i < times; ++i) f();
  });
  const Profile p = on_cuda::profile([&] { graph.replay(); }, {.seconds = budget, .rounds = 3});
  return p.fastest / times;
}

// Figures of the machine.

struct identity {
  static constexpr int arity = 1;
  template <class T>
  __device__ static T value(T x) {
    return x;
  }
};

/// Four chains of op(fma(x, small, c)) in each thread.
template <class Op, class T>
__global__ void chains(T* out, T small, T c, int n) {
  T x[4];
  for (int k = 0; k < 4; ++k) x[k] = static_cast<T>(threadIdx.x % 7 + k);
#pragma unroll 2
  for (int i = 0; i < n; ++i) {
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const T inner = math::fma(x[k], small, c);
      if constexpr (Op::arity == 2) {
        x[k] = static_cast<T>(Op{}.value(inner, c));
      } else {
        x[k] = static_cast<T>(Op{}.value(inner));
      }
    }
  }
  const T sum = (x[0] + x[1]) + (x[2] + x[3]);
  if (sum == static_cast<T>(-12345)) *out = sum;
}

/// The issue slots that a step of a chain takes, at 128 for each cycle and multiprocessor.
template <class Op, class T>
double slots_of(const Machine& gpu) {
  constexpr int threads = 256;
  const int blocks = static_cast<int>(gpu.multiprocessors) * 8;
  const int n = sizeof(T) == 8 ? 128 : 512;
  auto out = zeros<T>({1}, Cuda{});
  const auto run = [&] {
    chains<Op, T><<<blocks, threads, 0, on_cuda::current_stream(Cuda{}).handle()>>>(
        out.data(), static_cast<T>(1e-3), static_cast<T>(0.7), n);
  };
  run();
  const double time = on_cuda::profile(run, {.seconds = budget, .rounds = 3}).fastest;
  return (time - gpu.launch_seconds) * gpu.multiprocessors * gpu.clock * 128 /
         (static_cast<double>(blocks) * threads * n * 4);
}

template <class T, class... Ops>
void print_ops(const Machine& gpu, double base, detail::LightOps<Ops...>) {
  const auto one = [&]<class Op>() {
    constexpr OpCost cost = op_cost<Op>;
    const double measured = slots_of<Op, T>(gpu) - base;
    double model = sizeof(T) == 8 ? cost.double_slots : cost.slots;
    const double unit = sizeof(T) == 8 ? cost.wide * 128 / gpu.wide_rate : cost.special * 8;
    if (unit > model) model = unit;
    std::printf("op %s %s %.2f %.2f\n", Op::text, sizeof(T) == 8 ? "double" : "float", measured,
                model);
  };
  (one.template operator()<Ops>(), ...);
}

__global__ void empty() {}

Machine print_figures() {
  const Machine gpu = on_cuda::machine_of();
  const auto stream = [] { return on_cuda::current_stream(Cuda{}).handle(); };
  const double launch =
      on_cuda::profile([&] { empty<<<1, 32, 0, stream()>>>(); }, {.seconds = budget}).fastest;
  const double base = slots_of<identity, float>(gpu);
  const double wide = slots_of<identity, double>(gpu);
  // exp2 is one instruction of the special function unit among three others, which hide behind it.
  const double special = slots_of<op::exp2, float>(gpu);
  std::printf("machine %s\n", on_cuda::properties().name.c_str());
  std::printf("figure launch_seconds %.3g %.3g\n", launch, gpu.launch_seconds);
  std::printf("figure issue_rate %.4g %.4g\n", 0.875 * 128 / base, gpu.issue_rate);
  std::printf("figure special_rate %.4g %.4g\n", 128 / special, gpu.special_rate);
  std::printf("figure wide_rate %.4g %.4g\n", 128 / wide, gpu.wide_rate);
  using Float =
      detail::LightOps<op::div, op::sqrt, op::rsqrt, op::exp, op::log, op::log1p, op::tanh,
                       op::sigmoid, op::gelu, op::erf, op::sin, op::atan, op::pow>;
  print_ops<float>(gpu, base, Float{});
  print_ops<double>(gpu, wide, detail::LightOps<op::div, op::exp, op::log, op::tanh>{});
  return gpu;
}

/// Copies of many sizes, and a sum, which only reads.
void print_copies(const Machine& gpu) {
  double cache = 0;
  double copy = 0;  // seconds of the last
  for (std::int64_t bytes = 1 << 20; bytes <= std::int64_t{1} << 30; bytes *= 2) {
    const auto x = zeros({bytes / 8}, Cuda{});  // half is read, half is written
    auto y = x.clone();
    copy = seconds_of([&] { y.assign(x + 1.0F); });
    const double rate = static_cast<double>(bytes) / copy;
    std::printf("copy %lld %.4g\n", static_cast<long long>(bytes), rate);
    if (static_cast<double>(bytes) < gpu.cache_bytes / 2 && rate > cache) cache = rate;
  }
  const auto x = zeros({1 << 28}, Cuda{});
  auto total = zeros({}, Cuda{});
  const double read = seconds_of([&] { total.assign(sum(x)); });
  constexpr double gigabyte = 1 << 30;
  std::printf("figure read_share %.4g %.4g\n", gigabyte / read / gpu.bandwidth, gpu.read_share);
  std::printf("figure write_share %.4g %.4g\n", gigabyte / 2 / (copy - read / 2) / gpu.bandwidth,
              gpu.write_share);
  std::printf("figure cache_bandwidth %.4g %.4g\n", cache, gpu.cache_bandwidth);
}

}  // namespace

// Sweeps: the planners' plans with one number replaced.

/// Which number.
enum class Choice { none, row_blocks, column_blocks, items, rows_shift, parts, share };

/// A device that runs as Cuda does, with a constant of a planner replaced.
struct Swept {
  Cuda device;
  Choice constant = Choice::none;
  int value = 0;
  int* planned = nullptr;  // what the planner has without it
};

namespace weft {

template <>
struct Memory<Swept> {
  static Storage* allocate(const Swept& swept, std::int64_t bytes) {
    return Memory<Cuda>::allocate(swept.device, bytes);
  }
};

template <>
struct Executor<Swept> {
  template <class Out, class Types, class Program>
  static void for_each(const weft::detail::Name& name, const Swept& swept, const Shape& shape,
                       weft::detail::Operand* operands, const Program& program) {
    constexpr int n = weft::detail::count(Types{}) + 1;
    constexpr on_cuda::ForEachKernels kernels = on_cuda::for_each_kernels<Out, Types, Program>();
    weft::detail::Loops loops = weft::detail::loops_over(shape);
    on_cuda::detail::order_dimensions(loops, operands, n, kernels);
    on_cuda::Grid<n> grid;
    on_cuda::detail::plan_for_each(loops, operands, n, false, kernels, grid, grid.transposed);
    *swept.planned = grid.rows_shift;
    on_cuda::detail::place_thread_rows(swept.value, kernels.rows.lanes, grid);
    on_cuda::detail::plan_operands(loops, operands, n, grid.data, grid.lane, grid.stride);
    const auto kernel = on_cuda::for_each_aligned<Out, Types, kernels.rows.lanes, n, Program>;
    void* arguments[] = {&grid, const_cast<Program*>(&program)};
    on_cuda::detail::launch(name, shape, reinterpret_cast<const void*>(kernel),
                            (grid.items + on_cuda::block_threads - 1) / on_cuda::block_threads,
                            on_cuda::block_threads, arguments,
                            on_cuda::current_stream(swept.device));
  }
};

template <>
struct Reducer<Swept> {
  template <class Out, class Types, class R, class Program>
  static void reduce(const weft::detail::Name& name, const R& reducer, const Swept& swept,
                     const Shape& kept, const Shape& reduced, weft::detail::Operand* operands,
                     const Program& program) {
    constexpr int n = weft::detail::count(Types{}) + 1;
    using State = typename R::template State<typename Program::type>;
    const auto kernels = on_cuda::ReduceKernels::of<Out, Types, n, R, State, Program>();
    on_cuda::detail::ReduceLimits limits{kernels.lanes, kernels.column_lanes,
                                         on_cuda::properties(swept.device).multiprocessors,
                                         kernels.weight};
    limits.together = kernels.together;
    *swept.planned = swept.constant == Choice::row_blocks ? limits.row_blocks
                     : swept.constant == Choice::column_blocks
                         ? on_cuda::detail::blocks_of_columns(n)
                         : (limits.weight >= on_cuda::detail::costly_element ? 8 : 0);
    (swept.constant == Choice::row_blocks      ? limits.row_blocks
     : swept.constant == Choice::column_blocks ? limits.column_blocks
                                               : limits.items) = swept.value;
    weft::detail::Operand inside[n];
    on_cuda::ReduceGrid<n> grid;
    const auto loops = on_cuda::detail::plan_reduction(name.operation, kept, reduced, operands,
                                                       inside, n, limits, grid);
    const bool rows = grid.form == on_cuda::ReduceLoops::rows;
    on_cuda::detail::plan_reduced_operands(loops.kept, operands, loops.reduced, inside,
                                           rows ? kernels.lanes : kernels.column_lanes, grid);
    StorageHandle partials;
    void* states = nullptr;
    const bool split = grid.splits.divisor > 1;
    if (split) {
      partials = StorageHandle(Memory<Cuda>::allocate(
          swept.device, kernels.state_bytes * grid.outputs * grid.splits.divisor));
      states = partials->data;
    }
    void* arguments[] = {&grid, const_cast<R*>(&reducer), const_cast<Program*>(&program), &states};
    const on_cuda::Stream stream = on_cuda::current_stream(swept.device);
    on_cuda::detail::launch(name, kept, kernels.of(grid), grid.blocks, grid.threads, arguments,
                            stream, grid.tile.shared_bytes);
    if (!split) return;
    on_cuda::ReduceGrid<1> target;
    static_cast<on_cuda::ReduceLoops&>(target) = grid;
    target.data[0] = grid.data[0];
    std::memcpy(target.kept_stride[0], grid.kept_stride[0], sizeof target.kept_stride[0]);
    on_cuda::detail::run_merge(name, kept, target, kernels, &reducer, states, stream);
  }
};

template <>
struct RowExecutor<Swept> {
  static bool fuses(std::int64_t, std::int64_t) { return true; }
  static constexpr bool divides_rows = false;

  template <class Outs, class Types, class Program>
  static void run(const weft::detail::Name& name, const Swept& swept,
                  const weft::detail::RowTask& task, weft::detail::Operand* operands,
                  const Program& program) {
    using Kernel = on_cuda::detail::RowKernelOf<Outs, Types, Program>;
    on_cuda::RowGrid<Kernel::n> grid;
    weft::detail::Operand inside[Kernel::n];
    const on_cuda::RowKernel kernel = Kernel::get();
    on_cuda::RowLaunch launch = on_cuda::detail::plan_row_program(
        name.operation, task, kernel, &program, on_cuda::properties(swept.device), operands, inside,
        grid, grid.operand, on_cuda::detail::runs_cluster);
    if (swept.constant == Choice::share) {
      change_share(swept, grid);
    } else {
      *swept.planned = grid.cluster ? static_cast<int>(grid.parts.divisor) : 1;
      if (launch.registers) change_parts(swept, kernel, grid, launch);
    }
    void* states = nullptr;
    void* arguments[] = {&grid, const_cast<Program*>(&program), &states};
    on_cuda::detail::launch_rows(name, task.geometry.reduced, kernel, launch,
                                 grid.cluster ? grid.parts.divisor : 1, arguments,
                                 on_cuda::current_stream(swept.device));
  }

 private:
  /// The bytes for each multiprocessor that L2 fetches ahead, in KiB.
  static void change_share(const Swept& swept, on_cuda::RowLoops& grid) {
    const std::int64_t bytes = grid.count * 4;
    const std::int64_t units = on_cuda::properties(swept.device).multiprocessors;
    *swept.planned = static_cast<int>(grid.ahead * bytes / units / 1024);
    grid.ahead = static_cast<unsigned>((units * swept.value * 1024 + bytes - 1) / bytes);
    if (grid.ahead >= grid.rows) grid.ahead = 0;
  }
  /// The blocks of a cluster, for rows that a block's registers hold.
  template <int N>
  static void change_parts(const Swept& swept, const on_cuda::RowKernel& kernel,
                           on_cuda::RowGrid<N>& grid, on_cuda::RowLaunch& launch) {
    const auto parts = static_cast<unsigned>(swept.value);
    const unsigned threads =
        grid.length / (static_cast<unsigned>(kernel.registers.vectors) * parts);
    grid.group = launch.threads = on_cuda::detail::round_up(threads, 32);
    grid.group_shift = 0;
    while (1U << grid.group_shift < grid.group) ++grid.group_shift;
    grid.warps = on_cuda::detail::power_of_two((grid.group + 31) / 32);
    grid.parts = on_cuda::FastDivmod(parts);
    grid.stride = on_cuda::FastDivmod(grid.group * parts);
    grid.chunk = (grid.length + grid.group * parts - 1) / (grid.group * parts);
    grid.cluster = parts > 1;
    grid.ahead = 0;
    for (auto& x : grid.operand) {
      x.step = x.reduced_stride[0] * kernel.lanes * grid.stride.divisor;
    }
    launch.blocks = grid.rows * parts;
  }
};

}  // namespace weft

namespace {

/// The seconds of `y.assign(e)` with a constant replaced.
template <class E>
double swept_seconds(Tensor<float, Cuda>& y, const E& e, Swept swept) {
  return seconds_of([&] {
    detail::Lowered<E> lowered(e);
    lowered.operands[0].set(y.data(), sizeof(float), y.shape(), y.strides(), y.storage());
    lowered.template run<float>(e.shape(), swept);
  });
}

template <class E>
void sweep(const char* constant, const char* what, Choice which, const E& e,
           std::initializer_list<int> values) {
  const auto right = e.eval();
  const float largest = max(abs(right)).item();
  for (const int value : values) {
    int planned = 0;
    auto y = zeros(right.shape(), Cuda{});
    const double time = swept_seconds(y, e, {Cuda{0}, which, value, &planned});
    const double error = max(abs(y - right)).item() / largest;
    std::printf("sweep %s %s %d %.4g %d %.2g\n", constant, what, value, time, planned, error);
    std::fflush(stdout);
  }
}

void print_sweeps(bool all) {
  const auto large = linspace(-1, 1, 1 << 26).to(Cuda{});
  const auto shaped = [&](std::int64_t rows, std::int64_t columns) {
    return large(slice(0, rows * columns)).reshape({rows, columns});
  };
  using C = Choice;
  const auto few = shaped(16, 1 << 22);
  const auto one = shaped(1, 1 << 24);
  sweep("row_blocks", "sum_16x4M", C::row_blocks, sum(few, axis(1)), {4, 8, 12, 16, 24});
  sweep("row_blocks", "sum_1x16M", C::row_blocks, sum(one, axis(1)), {4, 8, 12, 16, 24});
  const auto tall = shaped(1 << 16, 1024);
  sweep("column_blocks", "columns_64Kx1K", C::column_blocks, sum(tall, axis(0)), {2, 4, 5, 6, 8});
  for (const int length : {64, 256, 1024, 4096, 16384}) {
    if (!all && length != 256 && length != 4096) continue;
    const auto x = shaped((1 << 26) / length, length);
    char what[32];
    std::snprintf(what, sizeof what, "sum_rows_%d", length);
    sweep("items", what, C::items, sum(x, axis(1)), {4, 8, 16});
  }
  const auto row = ones({1024}, Cuda{});
  for (const int rows : {256, 1024, 2048, 4096, 16384, 65536}) {
    if (!all && rows < 2048) continue;
    char what[32];
    std::snprintf(what, sizeof what, "add_row_%dx1K", rows);
    sweep("rows_shift", what, C::rows_shift, shaped(rows, 1024) + row, {0, 1, 2});
  }
  for (const int rows : {16, 64, 128, 256, 1024}) {
    if (!all && rows != 64 && rows != 256) continue;
    char what[32];
    std::snprintf(what, sizeof what, "softmax_%dx8K", rows);
    sweep("parts", what, C::parts, softmax(shaped(rows, 8192), axis(-1)), {1, 2, 4, 8});
  }
  sweep("share", "softmax_8Kx8K", C::share, softmax(shaped(8192, 8192), axis(-1)),
        {0, 16, 32, 64, 128});
}

}  // namespace

int main(int count, char** arguments) {
  if (!on_cuda::is_available()) {
    std::fprintf(stderr, "no GPU\n");
    return 77;
  }
  bool all = true;
  for (int i = 1; i < count; ++i) {
    if (std::strcmp(arguments[i], "--short") == 0) all = false;
  }
  if (!all) budget = 0.006;
  unsetenv("WEFT_CALIBRATION");
  const Machine gpu = print_figures();
  print_copies(gpu);
  print_sweeps(all);
  return 0;
}
