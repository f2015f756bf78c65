// Tuner: chooses between launches that give the same bits; none is installed by default.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime.h>

#include "weft/eval/program/name.hpp"

namespace weft::detail {
struct Loops;
struct Operand;
}  // namespace weft::detail

namespace weft::on_cuda {

struct CopyLaunch;
struct TurnedCopy;
struct TiledCopy;
struct FlatCopy;
struct ElementwiseLoops;
struct ForEachKernels;
struct ReduceLoops;
struct RowKernel;
struct RowLaunch;
struct RowLoops;
struct RowOperand;
namespace detail {
struct ForEachLaunch;
}

/// What a tuner changes of a plan, such as {"threads", 128}; without a name: nothing.
struct LaunchChoice {
  const char* what = nullptr;
  int value = 0;
};

/// A launch whose plan a tuner may change.
struct PlannedLaunch {
  const weft::detail::Name& name;
  int device = 0;
  cudaStream_t stream = nullptr;
  bool runs = true;  // false where it is only explained
  LaunchChoice chosen;
};

/// A kernel whose threads work in groups that do not know of each other: any number of threads a
/// block that is a multiple of 32 does.
struct ThreadGroups {
  const char* kind;
  int64_t groups;
  int64_t length;  // of what each works on,
  unsigned width;  // by so many threads, a power of two up to 32
  int element_bytes;
};

/// Each of the first five may change the plan of such a launch, and returns what `end` gets after
/// the launch, null where that is nothing. Called on the launching thread.
struct Tuner {
  void* (*copy)(PlannedLaunch&, const weft::detail::Loops&, const weft::detail::Operand*,
                CopyLaunch&, TurnedCopy&, TiledCopy&, FlatCopy&) = nullptr;
  void* (*for_each)(PlannedLaunch&, const weft::detail::Loops&, const weft::detail::Operand*,
                    int operands, const ForEachKernels&, detail::ForEachLaunch&, ElementwiseLoops&,
                    int* transposed) = nullptr;
  void* (*rows)(PlannedLaunch&, const RowKernel&, RowLaunch&, RowLoops&,
                const RowOperand*) = nullptr;
  void* (*reduce)(PlannedLaunch&, int column_lanes, ReduceLoops&) = nullptr;
  void* (*groups)(PlannedLaunch&, const ThreadGroups&, unsigned& threads) = nullptr;
  void (*end)(void*) noexcept = nullptr;
  Text (*text)(const LaunchChoice&) = nullptr;  // for explain
};

namespace detail {
[[gnu::visibility("default")]] inline constinit const Tuner* tuner = nullptr;

/// A launch about which the tuner is asked if one is installed; lasts until it has been launched.
struct TunedLaunch : PlannedLaunch {
  TunedLaunch(const weft::detail::Name& launched, int ordinal, cudaStream_t on, bool is_run = true)
      : PlannedLaunch{launched, ordinal, on, is_run, {}},
        by(__atomic_load_n(&detail::tuner, __ATOMIC_ACQUIRE)) {}
  ~TunedLaunch() {
    if (mark != nullptr) by->end(mark);
  }
  TunedLaunch(const TunedLaunch&) = delete;
  TunedLaunch& operator=(const TunedLaunch&) = delete;

  const Tuner* by;  // null: none is installed
  void* mark = nullptr;
};
}  // namespace detail

}  // namespace weft::on_cuda
