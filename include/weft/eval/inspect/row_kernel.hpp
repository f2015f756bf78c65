// The kernel of a row program, as an Explanation lists it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/eval/inspect/element_cost.hpp"
#include "weft/eval/inspect/kernel_operands.hpp"

namespace weft::detail {

/// The names of a row program's reductions, and the types of their values.
template <class Program>
struct RowNames;
template <class... Rs, class Outputs>
struct RowNames<RowProgram<Pack<Rs...>, Outputs>> {
  template <class R, class P, class V>
  static constexpr const char* name_of(const RowReduction<R, P, V>*) {
    return R::text;
  }
  static constexpr const char* names[] = {name_of(static_cast<const Rs*>(nullptr))...};
  static constexpr const char* types[] = {type_name<typename Rs::value>()...};
};

/// The operands that each reduction of a row program reads; in the last entry, those that the
/// outputs read.
template <class Program>
struct RowUses;
template <class... Rs, class... Ps>
struct RowUses<RowProgram<Pack<Rs...>, Pack<Ps...>>> {
  static constexpr std::uint64_t value[] = {uses_of<decltype(Rs::program)>..., (uses_of<Ps> | ...)};
};

/// What one task of a row program reads and writes.
struct RowTaskView {
  const RowTask& task;
  const Operand* operands;
  const char* const* out_types;
  int outputs;
  const char* const* leaf_types;
  int leaves;
  const char* const* names;
  const char* const* value_types;
  int reductions;
  const std::uint64_t* uses;
  const ElementCost* costs;

  bool runs(int r) const {
    return r < reductions ? task.mode[r] == RowMode::compute : task.target < 0;
  }
  bool reads(int operand) const {
    for (int r = 0; r <= reductions; ++r) {
      if (runs(r) && (uses[r] >> operand & 1U) != 0) return true;
    }
    return false;
  }
  /// Whether an output has an element for each of the row.
  bool has_output_along_row() const {
    for (int k = 0; k < outputs; ++k) {
      if (task.along_row[k]) return true;
    }
    return false;
  }

  [[gnu::noinline]] void add_to(Explanation& out, std::vector<int>& kernel_of) const {
    const int index = static_cast<int>(out.kernels.size());
    out.kernels.emplace_back();
    Explanation::Kernel& kernel = out.kernels.back();
    const Shape sizes = joined(task.geometry.kept, task.geometry.reduced);
    kernel.kind = task.target < 0 ? "row program" : "reduction of rows";
    kernel.work = join(
        {"over ", counted(task.geometry.kept.size(), "row"), " of ", task.geometry.reduced.size()});
    const char* separator = ": ";
    kernel.elements = sizes.size();
    for (int r = 0; r <= reductions; ++r) {
      if (runs(r) && (r < reductions || has_output_along_row())) kernel.cost += costs[r];
    }
    for (int r = 0; r < reductions; ++r) {
      if (task.mode[r] == RowMode::compute) {
        kernel.work += join({separator, names[r]});
        separator = ", ";
        ++kernel.reductions;
        const int same = r == task.target ? r : task.same[r];
        out.repeated += kernel_of[static_cast<std::size_t>(same)] >= 0;
        kernel_of[static_cast<std::size_t>(r)] = index;
      } else if (task.mode[r] == RowMode::same) {
        ++kernel.equal;
        kernel_of[static_cast<std::size_t>(r)] = index;
      }
    }
    if (kernel.equal > 0) {
      kernel.work +=
          join({"; ", kernel.equal, kernel.equal == 1 ? " equals" : " equal", " one of these and ",
                kernel.equal == 1 ? "is" : "are", " not computed"});
    }
    for (int k = 0; k < outputs && task.target < 0; ++k) {
      add_operand(kernel.writes, operands[k], out_types[k], sizes, "result");
    }
    for (int i = outputs; i < outputs + leaves; ++i) {
      if (reads(i)) add_operand(kernel.reads, operands[i], leaf_types[i - outputs], sizes, "");
    }
    for (int r = 0; r < reductions; ++r) {
      auto& list = r == task.target ? kernel.writes : kernel.reads;
      if (r == task.target || task.mode[r] == RowMode::load) {
        add_operand(list, operands[outputs + leaves + r], value_types[r], sizes, "temporary");
      }
    }
  }
};

}  // namespace weft::detail
