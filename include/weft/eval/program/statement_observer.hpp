// StatementObserver: notified of each statement that runs, for tools; none is installed by default.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/core/shape.hpp"

namespace weft::detail {

/// now() is called before a statement and done() after it, by the thread that runs it. `shape` is
/// the result's; null if there is no one result.
struct StatementObserver {
  double (*now)() = nullptr;
  void (*done)(const char* operation, const Shape* shape, double begin) noexcept = nullptr;
};

[[gnu::visibility("default")]] inline constinit const StatementObserver* statement_observer =
    nullptr;

inline const StatementObserver* installed_statement_observer() {
  return __atomic_load_n(&statement_observer, __ATOMIC_ACQUIRE);
}

/// Installs `observer`, which must outlive its use, for all statements of the process; null removes
/// it.
inline void observe_statements(const StatementObserver* observer) {
  __atomic_store_n(&statement_observer, observer, __ATOMIC_RELEASE);
}

/// Notifies the observer at the beginning and end of a statement.
class ObservedStatement {
 public:
  ObservedStatement(const char* operation, const Shape* shape)
      : observer_(installed_statement_observer()) {
    if (observer_ == nullptr) return;
    operation_ = operation;
    shape_ = shape;
    begin_ = observer_->now();
  }
  ~ObservedStatement() {
    if (observer_ != nullptr) observer_->done(operation_, shape_, begin_);
  }
  ObservedStatement(const ObservedStatement&) = delete;
  ObservedStatement& operator=(const ObservedStatement&) = delete;

 private:
  const StatementObserver* observer_;
  const char* operation_ = nullptr;
  const Shape* shape_ = nullptr;
  double begin_ = 0;
};

}  // namespace weft::detail
