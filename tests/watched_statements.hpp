// Watches every statement of a CUDA program: explain's kernels are those that it launches.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <doctest/doctest.h>

#include <atomic>
#include <string>
#include <vector>

#include "weft/cuda.hpp"
#include "weft/explain.hpp"

// Included in all files of a program, or in none: what it specialises is part of every statement.
namespace watched {

/// Statements whose launches were compared, and those that explain does not count: their operands
/// are evaluated by algorithms of their own, or somebody else observes the launches.
inline std::atomic<long> compared{0};
inline std::atomic<long> left_out{0};

inline thread_local int launches = 0;  // of the statement that runs
inline thread_local int all_launches = 0;
inline void count(const weft::detail::Name&) {
  ++launches;
  ++all_launches;
}
inline void nothing() {}
inline constexpr weft::on_cuda::LaunchObserver counter{count, nothing};

/// True where launches are counted: nobody else observes them.
inline bool counts_launches() {
  const weft::on_cuda::LaunchObserver* now =
      __atomic_load_n(&weft::on_cuda::detail::launch_observer, __ATOMIC_ACQUIRE);
  if (now == nullptr) weft::on_cuda::observe_launches(&counter);
  return now == nullptr || now == &counter;
}

/// Statements that explain plans kernel by kernel: those of one operation that runs by its own
/// algorithm, or by a library, it names and does not count.
template <class L>
inline constexpr bool is_planned = true;
template <class E>
inline constexpr bool is_planned<weft::detail::Lowered<E, weft::detail::Route::opaque>> = false;
template <class E>
inline constexpr bool is_planned<weft::detail::Lowered<E, weft::detail::Route::product>> = false;

/// What planning changes in a statement, put back afterwards.
template <class L>
class Unplanned {
 public:
  explicit Unplanned(L& lowered) : lowered_(lowered), operands_(n), nodes_(nodes()) {
    for (int i = 0; i < n; ++i) operands_[static_cast<std::size_t>(i)] = lowered.operands[i];
  }
  ~Unplanned() {
    for (int i = 0; i < n; ++i) lowered_.operands[i] = operands_[static_cast<std::size_t>(i)];
    if constexpr (requires { lowered_.nodes; }) {
      for (std::size_t i = 0; i < nodes_.size(); ++i) lowered_.nodes[i] = nodes_[i];
    }
  }
  Unplanned(const Unplanned&) = delete;
  Unplanned& operator=(const Unplanned&) = delete;

 private:
  static constexpr int n = sizeof(L::operands) / sizeof(weft::detail::Operand);
  std::vector<weft::detail::RowNode> nodes() const {
    if constexpr (requires { lowered_.nodes; }) {
      return {std::begin(lowered_.nodes), std::end(lowered_.nodes)};
    } else {
      return {};
    }
  }
  L& lowered_;
  std::vector<weft::detail::Operand> operands_;
  std::vector<weft::detail::RowNode> nodes_;
};

/// What explain says of a statement that is ready to run.
template <class L, class F>
weft::Explanation planned(L& lowered, weft::Cuda device, const F& run) {
  const Unplanned<L> before(lowered);
  weft::Explanation out;
  const weft::detail::PlannedStaging staging(out);
  if constexpr (requires { lowered.nodes; }) {
    out.reductions = static_cast<int>(std::size(lowered.nodes));
  }
  std::vector<int> kernel_of(static_cast<std::size_t>(out.reductions), -1);
  run(weft::detail::DryRun<weft::Cuda>{device, &out, &kernel_of});
  return out;
}

/// The kernels that f launches itself; those of statements inside it are not its own.
template <class F>
int launched(const F& f) {
  const int outside = launches;
  launches = 0;
  f();
  const int own = launches;
  launches = outside;
  return own;
}

}  // namespace watched

template <>
struct weft::detail::StatementWatch<weft::Cuda> {
  template <class L, class F>
  static void run(L& lowered, Cuda device, const F& f) {
    if constexpr (watched::is_planned<L>) {
      const Explanation expected = watched::planned(lowered, device, f);
      const bool counted = watched::counts_launches() && expected.opaque == 0;
      const int launched = watched::launched([&] { f(device); });
      if (!counted) {
        ++watched::left_out;
      } else if (++watched::compared; launched != expected.kernel_count()) {
        ADD_FAIL_CHECK_AT(__FILE__, __LINE__,
                          "explain says " << expected.kernel_count() << " kernels, launched were "
                                          << launched << ":\n"
                                          << std::string(to_string(expected)));
      }
    } else {
      watched::launched([&] { f(device); });
    }
  }
};
