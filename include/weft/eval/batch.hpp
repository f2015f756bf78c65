// Batch: one statement over a list of tensors, on CUDA in one kernel for all of them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <exception>

#include "weft/eval/fuse.hpp"

namespace weft {

/// Statements that wait to run together, per device (cpu/elementwise/for_each.hpp runs them at
/// once, cuda/elementwise/batch.hpp in one kernel):
///   void run();
template <class D>
struct BatchQueue;

/// A queue would gain nothing on the CPU.
template <>
struct BatchQueue<Cpu> {
  static void run() {}
};

namespace detail {
/// A device whose element-wise statements join a queue.
template <class D>
struct Queued {
  D device;
  BatchQueue<D>* queue;
};

}  // namespace detail

template <class D>
struct Memory<detail::Queued<D>> : Memory<D> {};

namespace detail {
/// Whether the header with D's batches is included; if not, one compile error that names it.
template <class D>
constexpr bool can_batch() {
  constexpr bool here = Complete<BatchQueue<D>>;
  static_assert(here, "weft: to run a Batch on Cuda include <weft/cuda.hpp>");
  return here;
}

/// The targets of `batch.tie(x, y) = fuse(e1, e2)`.
template <class D, class... Targets>
class BatchTied {
 public:
  BatchTied(BatchQueue<D>& queue, const Targets&... targets)
      : queue_(queue), targets_(make_pack(targets...)) {}
  void operator=(const BatchTied&) = delete;

  template <class X>
  void operator=(const X& x) const {
    if constexpr (can_tie<X, sizeof...(Targets)>()) {
      using Expressions = std::remove_cvref_t<decltype(x.expressions())>;
      constexpr const Pack<Targets...>* to = nullptr;
      constexpr const Expressions* from = nullptr;
      if constexpr (can_write_all(to, from)) write(x.expressions());
    }
  }

 private:
  template <class... Es>
  void write(const Pack<Es...>& expressions) const {
    // Parts evaluated in advance would not see what queued statements write.
    if constexpr (std::is_same_v<D, Cpu> || !(reads_leaves<Es> && ...)) {
      queue_.run();
      write_fused(targets_, expressions);
    } else {
      const auto queued = [this](D device) { return Queued<D>{device, &queue_}; };
      if (!write_fused_on(targets_, expressions, queued)) {
        queue_.run();
        write_fused(targets_, expressions);
      }
    }
  }

  BatchQueue<D>& queue_;
  Pack<Targets...> targets_;
};
}  // namespace detail

/// A queue of in-place statements over many tensors. On CUDA, queued statements of the same form
/// over contiguous tensors run as one kernel, even for hundreds of tensors of different shapes.
///   Batch<Cuda> batch;
///   for (std::size_t i = 0; i < n; ++i) batch.tie(p[i], m[i]) = fuse(p[i] - lr * g[i], ...);
///   batch.run();
/// The results are as if the statements ran one by one: a statement that reads what a queued one
/// writes, or that has another form, runs the queue first.
template <Device D>
class Batch {
 public:
  using Runs = detail::loops_of<D>;
  Batch() = default;
  Batch(const Batch&) = delete;
  Batch& operator=(const Batch&) = delete;
  /// Runs the queue, or drops it if an exception is being thrown.
  ~Batch() noexcept(false) {
    if (std::uncaught_exceptions() == exceptions_) run();
  }

  /// As weft::tie, for `batch.tie(x, y) = fuse(e1, e2)`.
  template <class... Ts>
    requires(sizeof...(Ts) > 0)
  auto tie(Tensor<Ts, D>&... targets) {
    static_assert(detail::can_batch<Runs>());
    return detail::BatchTied<Runs, Tensor<Ts, D>...>(queue_, targets...);
  }

  /// As target.assign(e), for an expression of the target's shape.
  template <class T, ExpressionLike E>
  void assign(Tensor<T, D> target, const E& e) {
    tie(target) = fuse(e);
  }

  /// Runs the queue.
  void run() { queue_.run(); }

 private:
  BatchQueue<Runs> queue_;
  int exceptions_ = std::uncaught_exceptions();
};

}  // namespace weft
