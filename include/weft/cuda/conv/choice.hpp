// Which of a library's algorithms for a convolution is taken, given their time and their workspace.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace weft::on_cuda::detail {

/// An algorithm that gives the same bits in each run.
struct ConvCandidate {
  float ms = 0;  ///< 0 or less where it was not measured
  int64_t workspace = 0;
};

/// The bytes that a call may work in where the user has set no limit: four times its own arrays,
/// but at least 32 MiB, since filters transformed by Winograd's method take four times their size.
inline int64_t automatic_workspace(int64_t arrays) {
  const int64_t least = int64_t{32} << 20;
  const int64_t most = int64_t{1} << 30;
  const int64_t wanted = 4 * arrays > least ? 4 * arrays : least;
  return wanted < most ? wanted : most;
}

/// The index of the one to take, -1 if there is none. Measured ones: the fastest, where working in
/// as much memory as the call's own arrays have counts as being 5 % slower. Others are in the
/// library's order, and the first is taken. None works in more than `limit`; if that is 0, in more
/// than automatic_workspace() only where no other is left, and then the one with the least.
inline int choose_algorithm(const ConvCandidate* found, int count, int64_t arrays, int64_t limit) {
  const int64_t most = limit > 0 ? limit : automatic_workspace(arrays);
  int best = -1;
  int smallest = -1;
  double least = 0;
  for (int i = 0; i < count; ++i) {
    const ConvCandidate& one = found[i];
    if (smallest < 0 || one.workspace < found[smallest].workspace) smallest = i;
    if (one.workspace > most) continue;
    const double share =
        static_cast<double>(one.workspace) / static_cast<double>(arrays > 0 ? arrays : 1);
    const double cost = one.ms > 0 ? one.ms * (1 + 0.05 * share) : 0;
    if (best >= 0 && !(cost < least)) continue;
    best = i;
    least = cost;
  }
  const bool fits = smallest >= 0 && found[smallest].workspace <= int64_t{1} << 30;
  return best < 0 && limit <= 0 && fits ? smallest : best;
}

}  // namespace weft::on_cuda::detail
