// LaunchObserver: notified of kernel launches, copies and graphs, for tools; none by default.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/eval/program/name.hpp"

namespace weft::on_cuda {

/// Called around each launch, on the launching thread, with the expression's name.
struct LaunchObserver {
  void (*begin)(const weft::detail::Name&) = nullptr;
  void (*end)() = nullptr;
};

namespace detail {
[[gnu::visibility("default")]] inline constinit const LaunchObserver* launch_observer = nullptr;
[[gnu::visibility("default")]] inline constinit const LaunchObserver* copy_observer = nullptr;

/// Notifies the observer at the beginning and end of a launch, of a kernel if nothing else is said.
class ObservedLaunch {
 public:
  explicit ObservedLaunch(const weft::detail::Name& name,
                          const LaunchObserver* const& installed = launch_observer)
      : observer_(__atomic_load_n(&installed, __ATOMIC_ACQUIRE)) {
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

/// Installs `observer`, which must outlive its use, for all kernels of the process; null removes
/// it.
inline void observe_launches(const LaunchObserver* observer) {
  __atomic_store_n(&detail::launch_observer, observer, __ATOMIC_RELEASE);
}

/// The same for copies between devices and replays of graphs.
inline void observe_copies(const LaunchObserver* observer) {
  __atomic_store_n(&detail::copy_observer, observer, __ATOMIC_RELEASE);
}

}  // namespace weft::on_cuda
