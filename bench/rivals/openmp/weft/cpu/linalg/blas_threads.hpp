// In place of weft's: products are left to BLAS and its threads.
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace weft::cpu {

enum class BlasThreads { unknown };
inline BlasThreads blas_threads() { return BlasThreads::unknown; }
struct SingleThreadedBlas {
  SingleThreadedBlas() {}
};
struct OpenMpTeam {
  explicit OpenMpTeam(int) {}
};

}  // namespace weft::cpu
