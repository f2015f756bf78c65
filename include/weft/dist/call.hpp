// Call: one collective as an engine sees it, and how it is named in messages.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "weft/core/dtype.hpp"
#include "weft/core/shape.hpp"

namespace weft::dist {

/// How the ranks' elements are combined. For bool, sum is "or" and product is "and"; NaN propagates
/// through minimum and maximum on the CPU; on a GPU, as in NCCL.
enum class Reduce { sum, product, minimum, maximum, average };

enum class Kind {
  all_reduce,
  reduce,
  broadcast,
  all_gather,
  reduce_scatter,
  all_to_all,
  gather,
  scatter,
  send,
  recv,
  barrier
};

/// A tag: the call returns a Work at once, `group.all_reduce(x, async)`.
struct Async {};
inline constexpr Async async;

/// A collective on contiguous memory. `count` is of the elements that one rank gives to another or,
/// in a reduction, that each rank gets.
struct Call {
  Kind kind = Kind::barrier;
  Reduce op = Reduce::sum;
  Dtype dtype = Dtype::uint8;
  const void* in = nullptr;  ///< null where this rank gives nothing
  void* out = nullptr;       ///< null where this rank gets nothing
  int64_t count = 0;
  int peer = 0;      ///< the root, or the other rank
  Shape shape = {};  ///< of the tensor, for messages
};

inline const char* name(Kind kind) {
  constexpr const char* names[] = {"all_reduce",     "reduce",     "broadcast", "all_gather",
                                   "reduce_scatter", "all_to_all", "gather",    "scatter",
                                   "send",           "recv",       "barrier"};
  return names[static_cast<int>(kind)];
}
inline const char* name(Reduce op) {
  constexpr const char* names[] = {"sum", "product", "minimum", "maximum", "average"};
  return names[static_cast<int>(op)];
}
inline bool reduces(Kind kind) {
  return kind == Kind::all_reduce || kind == Kind::reduce || kind == Kind::reduce_scatter;
}
inline bool has_root(Kind kind) {
  return kind == Kind::reduce || kind == Kind::broadcast || kind == Kind::gather ||
         kind == Kind::scatter;
}

/// "all_reduce (sum) of float32 (3, 4)": what must be the same on all ranks.
inline std::string described(const Call& call) {
  std::string out = name(call.kind);
  if (call.kind == Kind::barrier) return out;
  if (reduces(call.kind)) out += std::string(" (") + name(call.op) + ")";
  if (has_root(call.kind)) out += " with root " + std::to_string(call.peer);
  const Text shape = text(call.shape);
  return out + " of " + weft::name(call.dtype) + " " + shape.c_str();
}

}  // namespace weft::dist
