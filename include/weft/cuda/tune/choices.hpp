// What may be changed in the launch of an element-wise kernel or a copy without changing a bit.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstring>

#include "weft/cuda/elementwise/plan.hpp"

namespace weft::on_cuda::detail {

/// The ways to launch a kernel; the first is the planner's own.
struct ChoiceList {
  static constexpr int most = 16;
  LaunchChoice at[most];
  int n = 1;

  void add(const char* what, int value) {
    if (n < most) at[n++] = {what, value};
  }
};

/// "128 threads a block"
inline Text text_of(const LaunchChoice& choice) {
  const auto is = [&](const char* what) { return std::strcmp(choice.what, what) == 0; };
  const Text value = weft::detail::text(choice.value);
  if (choice.what == nullptr) return "as planned";
  if (is("threads")) return value + " threads a block";
  if (is("rows")) return value + (choice.value == 1 ? " row a thread" : " rows a thread");
  if (is("vectors")) return value + " vectors a thread";
  if (is("staged")) return "no tiles in shared memory";
  if (is("general")) return "the general kernel";
  if (is("path")) {
    constexpr const char* paths[] = {"element by element", "turned", "tiled", "flat"};
    return paths[choice.value];
  }
  if (is("ahead")) {
    return choice.value == 0 ? Text("no prefetch") : value + " % of the prefetch distance";
  }
  if (is("fetched")) return "no prefetch";
  if (is("once")) return "operands read again from L1";
  if (is("resident")) return value + " resident blocks";
  if (is("width")) return value + " threads side by side";
  return Text(choice.what) + "=" + value;
}

// Element-wise kernels: each thread computes the same elements by the same instructions, however
// they are dealt out.

/// An element-wise launch and what it was planned from.
struct ForEachPlan {
  const Loops& loops;
  const Operand* operands;
  int n;
  const ForEachKernels& kernels;
  ForEachLaunch& launch;
  ElementwiseLoops& grid;
  int* transposed;

  bool staged() const { return grid.tiling.width > 0; }
  int lanes() const { return kernels.rows.lanes != 0 ? kernels.rows.lanes : kernels.lanes; }

  ChoiceList choices() const {
    ChoiceList out;
    if (staged()) {
      out.add("staged", 0);
      return out;
    }
    if (launch.finds_rows) {
      out.add("general", 1);
      return out;
    }
    out.add("threads", 128);
    out.add("threads", 64);
    const int distinct = kernels.distinct > 0 ? kernels.distinct : n;
    if (launch.aligned && !launch.flat && grid.outer > 0 && distinct <= most_of_several_rows) {
      for (int shift = 0; shift <= 3; ++shift) {
        ElementwiseLoops other = grid;
        if (shift == grid.rows_shift || !place_thread_rows(shift, lanes(), other)) continue;
        if (other.items >= 1U << 16) out.add("rows", 1 << shift);
      }
    }
    if (!launch.aligned && grid.items >= 1U << 18) {
      out.add("vectors", 2);
      out.add("vectors", 4);
    }
    if (launch.aligned && kernels.copies) out.add("general", 1);
    return out;
  }

  void apply(const LaunchChoice& choice) {
    const auto is = [&](const char* what) { return std::strcmp(choice.what, what) == 0; };
    const auto value = static_cast<unsigned>(choice.value);
    if (is("staged") || is("general")) {  // the same kernel computes, or nothing is computed
      ForEachKernels general = kernels;
      general.has_aligned = false;
      general.found_rows = {};
      grid = {};
      launch = plan_for_each(loops, operands, n, false, general, grid, transposed);
    } else if (launch.finds_rows) {
      return;
    } else if (is("threads")) {
      launch.threads = choice.value;
    } else if (is("rows")) {
      int shift = 0;
      while (1U << shift < value) ++shift;
      place_thread_rows(shift, lanes(), grid);
    } else if (is("vectors")) {
      grid.passes = choice.value;
    }
    if (!staged()) {
      const auto a_block = static_cast<unsigned>(launch.threads * grid.passes);
      launch.blocks = (grid.items + a_block - 1) / a_block;
    }
  }
};

/// A copy that changes the order of axes: the forms that serve it, which move the same bits.
struct CopyChoices {
  enum Path { elements, turned_path, tiled_path, flat_path };
  const Loops& loops;
  const Operand* operands;
  CopyLaunch& launch;
  TurnedCopy& turned;
  TiledCopy& tiled;
  FlatCopy& flat;

  Path planned() const {
    if (launch.blocks == 0) return elements;
    return launch.turned ? turned_path : launch.tiled ? tiled_path : flat_path;
  }

  ChoiceList choices() const {
    ChoiceList out;
    const int itemsize = operands[0].itemsize;
    if (loops.rank < 2 || operands[1].gathered != 0 || loops.count() < 65536 || itemsize > 8 ||
        (operands[0].stride[loops.rank - 1] == 1 && operands[1].stride[loops.rank - 1] == 1 &&
         launch.blocks == 0)) {
      return out;
    }
    for (const Path path : {elements, turned_path, tiled_path, flat_path}) {
      CopyLaunch other;
      TurnedCopy a;
      TiledCopy b;
      FlatCopy c;
      if (path != planned() && plan(path, other, a, b, c)) out.add("path", path);
    }
    return out;
  }

  void apply(const LaunchChoice& choice) {
    launch = {};
    turned = {};
    tiled = {};
    flat = {};
    plan(static_cast<Path>(choice.value), launch, turned, tiled, flat);
  }

 private:
  bool plan(Path path, CopyLaunch& out, TurnedCopy& a, TiledCopy& b, FlatCopy& c) const {
    switch (path) {
      case turned_path:
        return plan_turned(loops, operands, a, out);
      case tiled_path:
        return plan_tiled(loops, operands, b, out);
      case flat_path:
        return plan_flat(loops, operands, c, out);
      case elements:
        break;
    }
    return true;
  }
};

}  // namespace weft::on_cuda::detail
