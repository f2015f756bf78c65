// NoGrad, EnableGrad, AnomalyMode: how the statements of a thread are recorded and passed back.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/autograd/tape/variable.hpp"

namespace weft {

/// While it lives, the thread records no statements: Vars are computed like Tensors and may be
/// written in place.
class NoGrad {
 public:
  NoGrad() : before_(autograd::state::records) { autograd::state::records = false; }
  NoGrad(const NoGrad&) = delete;
  NoGrad& operator=(const NoGrad&) = delete;
  ~NoGrad() { autograd::state::records = before_; }

 private:
  bool before_;
};

/// While it lives, the thread records statements again even inside a NoGrad.
class EnableGrad {
 public:
  EnableGrad() : before_(autograd::state::records) { autograd::state::records = true; }
  EnableGrad(const EnableGrad&) = delete;
  EnableGrad& operator=(const EnableGrad&) = delete;
  ~EnableGrad() { autograd::state::records = before_; }

 private:
  bool before_;
};

/// While it lives, the thread's backward passes check each gradient for NaN and throw, naming the
/// statement that produced it. Slow.
class AnomalyMode {
 public:
  AnomalyMode() : before_(autograd::state::checks) { autograd::state::checks = true; }
  AnomalyMode(const AnomalyMode&) = delete;
  AnomalyMode& operator=(const AnomalyMode&) = delete;
  ~AnomalyMode() { autograd::state::checks = before_; }

 private:
  bool before_;
};

/// Whether the thread records statements.
inline bool is_grad_enabled() { return autograd::state::records; }

/// Makes a backward pass keep what another pass will need: y.backward(retain).
struct Retain {};
inline constexpr Retain retain;

}  // namespace weft
