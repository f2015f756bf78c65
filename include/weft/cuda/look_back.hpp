// Look-back: how a tile of a scan learns what is before it while its neighbours still run.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/core/shape.hpp"

#if defined(__CUDACC__)

#include <cub/util_ptx.cuh>

namespace weft::cuda {

/// What each tile of a scan has told so far: nothing, its own total, or that of all before it too.
/// The memory is zero at the start.
template <class Carry>
class TileStates {
 public:
  enum Status : unsigned { nothing, own, all };

  TileStates() = default;
  explicit TileStates(void* memory) : slots_(static_cast<Slot*>(memory)) {}
  static int64_t bytes(int64_t tiles) { return tiles * static_cast<int64_t>(sizeof(Slot)); }

  __device__ __forceinline__ void tell(unsigned tile, Status status, const Carry& carry) const {
    Slot* const slot = slots_ + tile;
    if constexpr (packed) {
      unsigned long long bits = 0;
      memcpy(&bits, &carry, sizeof(Carry));
      asm volatile("st.relaxed.gpu.global.v2.u64 [%0], {%1, %2};" ::"l"(slot), "l"(bits),
                   "l"(static_cast<unsigned long long>(status))
                   : "memory");
    } else {
      slot->carry[status - 1] = carry;
      asm volatile("st.release.gpu.global.u32 [%0], %1;" ::"l"(&slot->status),
                   "r"(static_cast<unsigned>(status))
                   : "memory");
    }
  }
  __device__ __forceinline__ unsigned ask(unsigned tile, Carry& carry) const {
    Slot* const slot = slots_ + tile;
    if constexpr (packed) {
      unsigned long long bits = 0;
      unsigned long long status = 0;
      asm volatile("ld.relaxed.gpu.global.v2.u64 {%0, %1}, [%2];"
                   : "=l"(bits), "=l"(status)
                   : "l"(slot)
                   : "memory");
      memcpy(&carry, &bits, sizeof(Carry));
      return static_cast<unsigned>(status);
    } else {
      unsigned status = 0;
      asm volatile("ld.acquire.gpu.global.u32 %0, [%1];"
                   : "=r"(status)
                   : "l"(&slot->status)
                   : "memory");
      if (status != nothing) carry = slot->carry[status - 1];
      return status;
    }
  }

 private:
  static constexpr bool packed = sizeof(Carry) <= 8;  // read and written as one with its status
  struct alignas(16) Word {
    unsigned long long carry;
    unsigned long long status;
  };
  struct Values {
    Carry carry[2];
    unsigned status;
  };
  using Slot = std::conditional_t<packed, Word, Values>;

  Slot* slots_ = nullptr;
};

/// Tells the tile's total and returns what is before it, back to a tile that knows; for a whole
/// warp. It looks at 128 neighbours at a time: the further, the faster what is known moves on
/// (with 32, as in CUB, 3.1 TB/s on an H200). S::join must not depend on the order.
template <class S, class Carry>
__device__ __forceinline__ Carry look_back(const TileStates<Carry>& tiles, unsigned tile,
                                           const Carry& total) {
  using States = TileStates<Carry>;
  constexpr int each = 4;
  const unsigned lane = threadIdx.x % 32;
  if (lane == 0) tiles.tell(tile, States::own, total);
  Carry before = S::template identity<Carry>();
  bool found = false;
  for (unsigned past = lane + 1; !found; past += 32 * each) {
    Carry sum;
    bool complete = false;
    while (!complete) {
      Carry carry[each];
      unsigned status[each];
#pragma unroll
      for (int j = 0; j < each; ++j) {
        carry[j] = S::template identity<Carry>();
        status[j] = past + 32 * j <= tile ? tiles.ask(tile - past - 32 * j, carry[j]) : States::own;
      }
      sum = S::template identity<Carry>();
      complete = true;
#pragma unroll
      for (int j = 0; j < each; ++j) {
        if (found) continue;
        const unsigned known = __ballot_sync(0xFFFFFFFFU, status[j] == States::all);
        const unsigned missing = __ballot_sync(0xFFFFFFFFU, status[j] == States::nothing);
        const unsigned wanted = known != 0 ? known ^ (known - 1) : 0xFFFFFFFFU;
        complete = complete && (missing & wanted) == 0;
        found = known != 0;
        if ((wanted >> lane & 1U) != 0) sum = S::join(carry[j], sum);
      }
      found = found && complete;
    }
#pragma unroll
    for (int d = 16; d > 0; d /= 2) {
      const Carry other = cub::ShuffleDown<32>(sum, d, 31, 0xFFFFFFFFU);
      if (lane + static_cast<unsigned>(d) < 32) sum = S::join(other, sum);
    }
    before = S::join(cub::ShuffleIndex<32>(sum, 0, 0xFFFFFFFFU), before);
  }
  if (lane == 0) tiles.tell(tile, States::all, S::join(before, total));
  return before;
}

}  // namespace weft::cuda

#endif
