// What explain(e) says of a reduction on CUDA: copies before it, its form, and merges after it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/cuda/reduce.hpp"
#include "weft/eval/inspect/explain.hpp"

#if defined(__CUDACC__)

namespace weft::on_cuda::detail {

using Kernel = Explanation::Kernel;

/// Notes what the tuner chose.
inline void explain_choice(Kernel& kernel, const TunedLaunch& launch) {
  if (launch.chosen.what != nullptr) kernel.tuned = launch.by->text(launch.chosen);
}

/// The kernel that merges pieces of results, each by `width` threads.
WEFT_OUTLINED inline void explain_merge(Explanation& out, int64_t results, int64_t pieces,
                                        int64_t state_bytes, unsigned width, unsigned threads) {
  Explanation::Operand partials;
  partials.type = "partial results";
  partials.shape = {results, pieces};
  partials.bytes = results * pieces * state_bytes;
  partials.note = "temporary";
  Kernel merge;
  merge.kind = "merge";
  merge.work = weft::detail::join({"of ", pieces, " pieces for each result"});
  merge.blocks = divide_up(results, threads / width);
  merge.threads = static_cast<int>(threads);
  merge.reads.push_back(partials);
  merge.reductions = 1;
  merge.elements = results * pieces;
  merge.cost.slots = static_cast<double>(state_bytes);
  merge.writes = out.kernels.back().writes;
  out.kernels.back().writes.assign(1, partials);
  out.kernels.push_back(static_cast<Kernel&&>(merge));
}

/// Adds the copies of operands that run before the last kernel; returns how many.
WEFT_OUTLINED inline int explain_copies(Explanation& out, TurnTo to, const Shape& kept,
                                        const Shape& reduced, Operand* operands, int targets,
                                        int end, const CopyKernels& kernels) {
  int copies = 0;
  const auto add = [&](Operand& x, const char* kind, const char* work, int64_t bytes) {
    Kernel copy;
    copy.kind = kind;
    copy.work = work;
    copy.threads = block_threads;
    copy.elements = bytes / x.itemsize;
    for (const Explanation::Operand& read : out.kernels.back().reads) {
      if (read.address == x.data) copy.reads.assign(1, read);
    }
    copy.writes = copy.reads;
    for (Explanation::Operand& written : copy.writes) {
      written.note = "temporary";
      written.bytes = bytes;
    }
    out.kernels.insert(out.kernels.end() - 1, static_cast<Kernel&&>(copy));
    ++copies;
    // Memory of its own, at an aligned address.
    x.data = reinterpret_cast<char*>(std::uintptr_t{4096} * static_cast<unsigned>(copies));
    x.storage = nullptr;
    return &out.kernels[out.kernels.size() - 2];
  };
  OperandTurner(to, kept, reduced, operands, targets, end)
      .run(kernels.turn, [&](Operand& x, const TurnedOperand& turned) {
        Kernel* const copy =
            add(x, "turned copy", "of an operand that lies across the others", turned.bytes);
        copy->blocks = turned.launch.blocks;
        copy->shared_bytes = turned.launch.shared_bytes;
        return true;
      });
  if (kernels.expand == nullptr) return copies;
  OperandExpander(to, kept, reduced, operands, targets, end, kernels.positions)
      .run([&](Operand& x, const ExpandedOperand& expanded) {
        add(x, "expanded copy", "of an operand that repeats along some axes", expanded.bytes)
            ->blocks = expanded.blocks;
        return true;
      });
  return copies;
}

/// Plans a reduction over n operands as run_reduction does.
WEFT_OUTLINED inline void explain_reduction(Explanation& out, const Name& name, Cuda device,
                                            const Shape& kept, const Shape& reduced,
                                            Operand* operands, Operand* inside, int n,
                                            ReduceLimits limits, int64_t state_bytes,
                                            const CopyKernels& copies) {
  explain_copies(out, TurnTo::rows_or_results, kept, reduced, operands, 1, n, copies);
  ReduceLoops plan;
  limits.multiprocessors = properties(device).multiprocessors;
  plan_reduction(name.operation, kept, reduced, operands, inside, n, limits, plan);
  TunedLaunch tuned(name, device.ordinal, nullptr, false);
  if (tuned.by != nullptr) tuned.by->reduce(tuned, limits.column_lanes, plan);
  Kernel& kernel = out.kernels.back();
  kernel.kind = plan.form == ReduceLoops::columns    ? "reduction by columns"
                : plan.form == ReduceLoops::by_tiles ? "reduction by tiles"
                : plan.width > 32                    ? "reduction by blocks"
                                                     : "reduction by warps";
  kernel.shared_bytes = plan.tile.shared_bytes;
  kernel.blocks = plan.blocks;
  kernel.threads = static_cast<int>(plan.threads);
  explain_choice(kernel, tuned);
  if (plan.splits.divisor > 1) {
    explain_merge(out, plan.outputs, plan.splits.divisor, state_bytes, plan.merge_width,
                  merge_threads);
  }
}

}  // namespace weft::on_cuda::detail

#endif
