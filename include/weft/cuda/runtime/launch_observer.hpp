// LaunchObserver: what is told of each kernel launch, for tools; nobody unless one is installed.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/eval/program/name.hpp"

namespace weft::on_cuda {

/// Called around each launch of a kernel, on the launching thread, with the expression's name.
struct LaunchObserver {
  void (*begin)(const weft::detail::Name&) = nullptr;
  void (*end)() = nullptr;
};

namespace detail {
[[gnu::visibility("default")]] inline constinit const LaunchObserver* launch_observer = nullptr;

/// Tells the observer of a launch for the length of a scope.
class ObservedLaunch {
 public:
  explicit ObservedLaunch(const weft::detail::Name& name)
      : observer_(__atomic_load_n(&launch_observer, __ATOMIC_ACQUIRE)) {
    if (observer_ != nullptr) observer_->begin(name);
  }
  ~ObservedLaunch() {
    if (observer_ != nullptr) observer_->end();
  }
  ObservedLaunch(const ObservedLaunch&) = delete;
  ObservedLaunch& operator=(const ObservedLaunch&) = delete;

 private:
  const LaunchObserver* observer_;
};
}  // namespace detail

/// Lets `observer`, which must live on, be told of all launches of the process; null for nobody.
inline void observe_launches(const LaunchObserver* observer) {
  __atomic_store_n(&detail::launch_observer, observer, __ATOMIC_RELEASE);
}

}  // namespace weft::on_cuda
