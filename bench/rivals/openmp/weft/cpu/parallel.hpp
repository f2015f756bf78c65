// In place of weft's: loops shared by OpenMP's threads, one contiguous piece each.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <omp.h>

#include "weft/core/failure.hpp"
#include "weft/core/shape.hpp"

namespace weft {

inline int num_threads() { return omp_get_max_threads(); }
inline void set_num_threads(int threads) { omp_set_num_threads(threads); }

namespace cpu {

inline constexpr int64_t parallel_threshold = 1 << 15;

namespace detail {
inline constinit thread_local Failure failure_record;
}
inline Failure* failure_flag() {
  detail::failure_record.state = 0;
  return &detail::failure_record;
}
inline void check_failures() {
  Failure& record = detail::failure_record;
  if (__atomic_load_n(&record.state, __ATOMIC_ACQUIRE) != 2) return;
  record.state = 0;
  weft::detail::throw_failure(record);
}

struct SingleThreaded {
  SingleThreaded() { omp_set_num_threads(1); }
};
inline bool may_share() { return omp_in_parallel() == 0; }
inline int threads_for(int64_t items, int64_t elements) {
  if (elements < parallel_threshold || items < 2 || !may_share()) return 1;
  const int64_t most = num_threads();
  return static_cast<int>(items < most ? items : most);
}

template <class F>
void parallel(int64_t items, int64_t elements, const F& f) {
  const int threads = threads_for(items, elements);
  if (threads > 1) {
#pragma omp parallel num_threads(threads)
    {
      const int64_t count = omp_get_num_threads();
      const int64_t me = omp_get_thread_num();
      const int64_t first = items * me / count;
      const int64_t last = items * (me + 1) / count;
      if (first < last) f(first, last);
    }
  } else {
    f(0, items);
  }
  check_failures();
}

}  // namespace cpu
}  // namespace weft
