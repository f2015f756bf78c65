// A row program as its walk sees it: the functions that its type determines, and when to use which.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/cpu/elementwise/loop_contents.hpp"
#include "weft/cpu/elementwise/staged.hpp"
#include "weft/cpu/reduce.hpp"
#include "weft/eval/rows/plan.hpp"
#include "weft/eval/rows/reuse.hpp"

namespace weft::cpu::detail {

/// Whether a program has functions, more than arithmetic, of what varies along the row, or of
/// reductions alone, which a loop over one row computes once.
template <class P, bool Varying>
inline constexpr bool has_functions = false;
template <class Op, class... Ps, bool Varying>
inline constexpr bool has_functions<Apply<Op, Ps...>, Varying> =
    (!takes_few_instructions<Op> && (weft::detail::uses_of<Apply<Op, Ps...>> != 0) == Varying) ||
    (has_functions<Ps, Varying> || ...);

/// Whether a program has operations that take one element about as long as a vector of them.
template <class P>
inline constexpr bool has_choices = false;
template <class Op, class... Ps>
inline constexpr bool has_choices<Apply<Op, Ps...>> =
    !is_one_of<Op, op::add, op::sub, op::mul, op::neg, op::square, op::abs, op::relu> ||
    (has_choices<Ps> || ...);

template <class T>
inline constexpr bool reads_all_operands<weft::detail::Reused<T>> = true;

/// Whether short rows are better one run for all of them than a loop over each: by what a rest
/// costs that fills no vector, and by what a loop over one row computes once.
enum class Flat : signed char { never, once_a_row, arithmetic, choices, functions, staged };
template <class P, class Operands, class Out>
inline constexpr Flat flat_rows = !reads_all_operands<P>                     ? Flat::never
                                  : is_staged<Pack<P>, Operands, Pack<Out*>> ? Flat::staged
                                  : has_functions<P, true>                   ? Flat::functions
                                  : has_functions<P, false>                  ? Flat::once_a_row
                                  : has_choices<P>                           ? Flat::choices
                                                                             : Flat::arithmetic;

/// A loop over the m elements of `rows` rows, to `out`, where rows are `pitch` bytes apart; at,
/// step and skip as in an ElementLoop, and `kept` as out for what is read of it.
using RowLoop = void(const void* program, char* const* at, const int64_t* step, const int64_t* skip,
                     int64_t rows, int64_t m, char* out, int64_t pitch, const char* kept);

/// One reduction of a row program.
struct ReductionFunctions {
  const RunLoops* run;
  const ColumnLoops* columns;
  std::uint64_t uses;  // a bit for each operand that is read
  int in_place;        // the operand that has its values
  RowLoop* values;     // or computes them
  RowLoop* varying;    // the same where reductions' values, loaded, are others at each element
  const void* (*reducer)(const void* program);
  RowLoop* fused = nullptr;  // reduces whole rows while it computes their values, to `out`,
  void (*fused_add)(const void* program, char* const* at, const int64_t* step,  // or a run of one
                    const int64_t* skip, int64_t m, void* running) = nullptr;
  Flat flat = Flat::never;  // for `varying`
};
/// One output.
struct OutputFunctions {
  std::uint64_t uses;
  RowLoop* store;
  std::uint64_t kept_uses;
  RowLoop* kept;  // the same, reading what the last reduction was of; null where it does not
  RowLoop* varying = nullptr;  // one of both, where reductions' values are loaded at each element
  Flat flat = Flat::never;     // for it
};

/// What reductions and outputs share, computed once for each row: as an operand of this number.
struct SharedPart {
  RowLoop* loop;
  const void* program;
  std::uint64_t uses;
  int leaf;
  int bytes;  // of a value
};

/// A row program's operands and reductions, as weft::detail::SameValue asks for them.
struct SameInRow {
  const weft::detail::RowTask& task;
  const weft::detail::Operand* operands;
  int outer_rank;
  const weft::detail::Operand* inside;
  int inner_first;  // their strides along a row are those from this one on
  int inner_rank;

  bool computes(int r) const { return task.mode[r] == weft::detail::RowMode::compute; }
  bool same_operand(int i, int j) const {
    bool same =
        operands[i].data == operands[j].data && operands[i].itemsize == operands[j].itemsize;
    for (int d = 0; d < outer_rank; ++d) {
      same = same && operands[i].stride[d] == operands[j].stride[d];
    }
    for (int d = inner_first; d < inner_first + inner_rank; ++d) {
      same = same && inside[i].stride[d] == inside[j].stride[d];
    }
    return same;
  }
  int number(int r) const { return task.mode[r] == weft::detail::RowMode::same ? task.same[r] : r; }
};

/// Everything that the type of a row program determines.
struct RowFunctions {
  int outputs;
  int leaves;
  int reductions;
  const bool* computed;  // which leaves are positions
  const ReductionFunctions* const* reduce;
  const OutputFunctions* const* output;
  /// Whether what the outputs share with the last reduction has the same value in a task; or null.
  bool (*shares)(const void* program, const SameInRow&);
};

}  // namespace weft::cpu::detail
