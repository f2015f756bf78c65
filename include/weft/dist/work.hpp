// Work: the handle to a collective that was started and is waited for later.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "weft/dist/circle.hpp"

namespace weft::dist {

/// A call that was started with `async`. It keeps the tensors alive until it is done; copies are
/// handles to the same call.
class Work {
 public:
  struct State {
    std::shared_ptr<Circle> circle;
    std::unique_ptr<Ticket> ticket;
    std::function<void()> finish;  ///< what follows the call; it holds the tensors
    bool waited = false;

    State() = default;
    State(const State&) = delete;
    State& operator=(const State&) = delete;
    /// Memory that a library still writes must not be freed.
    ~State() {
      try {
        wait();
      } catch (...) {  // it is thrown by the next call of the group
      }
    }
    void wait() {
      if (std::exchange(waited, true)) return;
      if (ticket) ticket->wait();
      if (finish) finish();
      finish = nullptr;
    }
  };

  Work() = default;
  explicit Work(std::shared_ptr<State> state) : state_(std::move(state)) {}

  /// On the CPU returns when the call is done and throws DistributedError if it failed. On a GPU
  /// the calling thread does not wait; later statements on the current stream do.
  void wait() const {
    if (state_) state_->wait();
  }
  /// True when the results are available.
  bool is_done() const {
    return !state_ || state_->waited || !state_->ticket || state_->ticket->is_done();
  }

 private:
  std::shared_ptr<State> state_;
};

}  // namespace weft::dist
