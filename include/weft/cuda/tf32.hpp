// TF32: whether products of float may round their factors to 11 bits, which is 7 times faster.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/core/config.hpp"

namespace weft::on_cuda {

namespace detail {
[[gnu::visibility("default")]] inline int tf32_for_all = 0;
/// The calling thread's own choice; -1 for that of all.
[[gnu::visibility("default")]] inline constinit thread_local int tf32_here = -1;
}  // namespace detail

/// Whether matrix products of float on CUDA may use TF32: 8 exponent and 10 mantissa bits, sums in
/// float. Off by default, because such a product has about 3 correct digits.
inline bool allow_tf32() {
  return detail::tf32_here >= 0 ? detail::tf32_here != 0
                                : __atomic_load_n(&detail::tf32_for_all, __ATOMIC_RELAXED) != 0;
}

/// Allows TF32, or not, in all threads; a Tf32Guard takes precedence.
inline void set_allow_tf32(bool allow) {
  __atomic_store_n(&detail::tf32_for_all, allow ? 1 : 0, __ATOMIC_RELAXED);
}

/// Allows TF32, or not, for the calling thread's products until the end of the scope.
class Tf32Guard {
 public:
  explicit Tf32Guard(bool allow = true) : previous_(detail::tf32_here) {
    detail::tf32_here = allow ? 1 : 0;
  }
  ~Tf32Guard() { detail::tf32_here = previous_; }
  Tf32Guard(const Tf32Guard&) = delete;
  Tf32Guard& operator=(const Tf32Guard&) = delete;

 private:
  int previous_;
};

}  // namespace weft::on_cuda
