// Buckets: runs of gradients in an arena that are reduced over ranks while the backward pass runs.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "weft/autograd/arena.hpp"
#include "weft/dist/start.hpp"
#include "weft/ops/elementwise/cast.hpp"
#include "weft/tensor/borrow.hpp"

namespace weft::dist {

struct BucketOptions {
  int64_t bucket_bytes = 25 << 20;       ///< of gradients that are reduced by one call
  int64_t first_bucket_bytes = 1 << 20;  ///< of the first call, which should begin early
  bool bfloat16_gradients = false;       ///< sends gradients as bfloat16: half the bytes, 8 bits
};

/// Averages the gradients of consecutive parameters over all ranks, in place. The last parameters
/// come first, as in a backward pass.
template <class T, class D>
class Buckets {
 public:
  /// `parameters` are in the order of their arena.
  Buckets(Group group, std::vector<Var<T, D>> parameters, BucketOptions options)
      : group_(std::move(group)),
        parameters_(std::move(parameters)),
        options_(options),
        ready_(parameters_.size()),
        bucket_of_(parameters_.size()) {
    int64_t limit = options.first_bucket_bytes;
    std::size_t last = parameters_.size();
    while (last > 0) {
      std::size_t first = last - 1;
      while (first > 0 && place(last - 1).next - place(first - 1).first <= limit / width &&
             autograd::follows(parameters_[first - 1], parameters_[first])) {
        --first;
      }
      make(first, last);
      last = first;
      limit = options.bucket_bytes;
    }
    reset();
  }

  /// The gradient of parameter i is complete. Starts what can start; after the last one, later work
  /// sees all averages. Throws ValueError if the same one comes twice.
  void set_ready(std::size_t i) {
    if (ready_[i]) {
      fail<ValueError>("DistributedDataParallel", "a second gradient of one parameter of shape ",
                       parameters_[i].shape(), " before all have their first, expected one ",
                       "backward pass for each forward pass, or no_sync()");
    }
    ready_[i] = began_ = true;
    --buckets_[bucket_of_[i]].open;
    while (next_ < buckets_.size() && buckets_[next_].open == 0) start(buckets_[next_++]);
    if (next_ == buckets_.size()) finish();
  }
  /// The same for a parameter that will get no gradient: it counts as 0.
  void set_unused(std::size_t i) {
    ready_[i] = true;
    --buckets_[bucket_of_[i]].open;
  }

  /// The parameters whose gradient is still missing in a backward pass that has begun.
  std::vector<std::size_t> missing() const {
    std::vector<std::size_t> out;
    for (std::size_t i = 0; began_ && i < ready_.size(); ++i) {
      if (!ready_[i]) out.push_back(i);
    }
    return out;
  }
  /// Starts over.
  void reset() {
    std::fill(ready_.begin(), ready_.end(), false);
    for (Bucket& b : buckets_) b.open = b.last - b.first;
    next_ = 0;
    began_ = false;
  }
  std::size_t size() const { return buckets_.size(); }
  const std::vector<Var<T, D>>& parameters() const { return parameters_; }

 private:
  static constexpr int64_t width = sizeof(T);
  struct Bucket {
    std::size_t first;
    std::size_t last;
    std::size_t open = 0;        // gradients that are not complete
    Tensor<T, D> gradient = {};  // of all of them, and what lies between
    Tensor<bfloat16, D> sent = {};
    Work work = {};
  };

  const autograd::Place<T, D>& place(std::size_t i) const {
    return *parameters_[i].variable()->place;
  }

  /// The memory gets a storage of its own: as part of the arena's block, a pass that writes one end
  /// of it would wait for calls that reduce the other.
  void make(std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) bucket_of_[i] = buckets_.size();
    const Tensor<T, D>& begin = place(first).gradient;
    const int64_t n = place(last - 1).first - place(first).first + parameters_[last - 1].size();
    Bucket made{first, last};
    made.gradient = borrow(begin.data(), {n}, begin.device());
    if (options_.bfloat16_gradients) made.sent = empty<bfloat16>({n}, begin.device());
    buckets_.push_back(std::move(made));
  }

  void start(Bucket& b) {
    for (std::size_t i = b.first; i < b.last; ++i) {
      auto& variable = *parameters_[i].variable();
      if (variable.has_gradient) continue;
      variable.place->gradient.fill(compute_t<T>(0));
      variable.gradient = variable.place->gradient;
      variable.has_gradient = true;
    }
    if (group_.size() == 1) return;
    const D device = b.gradient.device();
    group_.fence(device);
    if (!options_.bfloat16_gradients) {
      b.work = group_.all_reduce(b.gradient, Reduce::average, async);
      return;
    }
    group_.beside(device, [&] { b.sent.assign(cast<bfloat16>(b.gradient)); });
    b.work = group_.all_reduce(b.sent, Reduce::average, async);
    if constexpr (is_cuda<D>) {
      b.work = group_.beside(device, [&] { b.gradient.assign(cast<T>(b.sent)); });
    }
  }

  void finish() {
    for (Bucket& b : buckets_) {
      b.work.wait();
      b.work = {};
      if constexpr (!is_cuda<D>) {
        if (options_.bfloat16_gradients && group_.size() > 1) b.gradient.assign(cast<T>(b.sent));
      }
    }
    reset();
  }

  Group group_;
  std::vector<Var<T, D>> parameters_;
  BucketOptions options_;
  std::vector<Bucket> buckets_;
  std::size_t next_ = 0;  // the next one to start
  bool began_ = false;
  std::vector<bool> ready_;
  std::vector<std::size_t> bucket_of_;
};

}  // namespace weft::dist
