// What the CPU's benchmark and its rivals share: the operands, and the list of who does what.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace bench {

/// The operands of one size, all rivals' the same memory. Matrices are row-major, rows x width.
struct Operands {
  std::int64_t n = 0;
  std::int64_t rows = 0;
  std::int64_t width = 0;
  float* x = nullptr;
  float* y = nullptr;
  float* mean = nullptr;       // width
  float* deviation = nullptr;  // width, its inverse
  float* bias = nullptr;       // width
  float* out = nullptr;        // n
};

/// One way to do a case; it writes its result to Operands::out.
struct Contender {
  std::string who;  // "Eigen", or "Eigen, rows" where the user helps with a loop over rows
  int threads = 1;  // it can use
  std::function<void()> run;
};

using Contenders = std::vector<Contender>;

/// Each adds what it can do of a case to the list.
void add_hand(const std::string& name, const Operands& o, Contenders& out);
void add_eigen(const std::string& name, const Operands& o, Contenders& out);
void add_eigen_tensor(const std::string& name, const Operands& o, int threads, Contenders& out);
void add_xtensor(const std::string& name, const Operands& o, Contenders& out);

}  // namespace bench
