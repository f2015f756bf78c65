// World: a process among others, with a thread that notices who is missing.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <condition_variable>

#include "weft/dist/engine.hpp"
#include "weft/dist/launch.hpp"
#include "weft/dist/store.hpp"

namespace weft::dist {

struct GroupOptions {
  double timeout = 300;  ///< seconds that a call may take; WEFT_TIMEOUT in the environment wins
};

/// A process among those that were started together: the store, and a thread that reports this
/// process's progress to the others, and ends calls that wait for a rank that is gone.
class World {
 public:
  /// `addresses` are rank 0's; rank 0 itself gives its server.
  World(const Launch& launch, std::unique_ptr<StoreServer> server,
        const std::vector<std::string>& addresses, int port, const std::string& token,
        GroupOptions options)
      : launch_(launch), timeout_(limit_of(options)), server_(std::move(server)) {
    if (launch.size == 1) return;
    store_ = std::make_unique<Store>(addresses, port, token, launch.rank, timeout_);
    watcher_ = std::thread([this] { watch(); });
  }
  World(const World&) = delete;
  World& operator=(const World&) = delete;
  ~World() {
    {
      const std::lock_guard lock(mutex_);
      stopping_ = true;
    }
    wake_.notify_all();
    if (watcher_.joinable()) watcher_.join();
    if (store_) store_->leave();
  }

  const Launch& launch() const { return launch_; }
  Seconds timeout() const { return timeout_; }
  Store& store() { return *store_; }
  /// The interval at which the watching thread checks.
  Seconds interval() const { return std::clamp(timeout_ / 10, Seconds(0.05), Seconds(1)); }

  static Seconds limit_of(GroupOptions options) {
    const int wanted = detail::number("WEFT_TIMEOUT", 0);
    const Seconds out(wanted > 0 ? wanted : options.timeout);
    if (!(out.count() > 0)) {
      fail<ValueError>("dist::init", "a timeout of ", out.count(), " s, expected more than 0");
    }
    return out;
  }

 private:
  friend class Circle;
  void watch();

  Launch launch_;
  Seconds timeout_;
  std::unique_ptr<StoreServer> server_;
  std::unique_ptr<Store> store_;
  std::mutex mutex_;
  std::condition_variable wake_;
  bool stopping_ = false;
  std::vector<Circle*> circles_;
  std::thread watcher_;
};

namespace detail {
/// Set when some rank is gone or hangs: a library that waits for all at its end must be left as it
/// is.
inline std::atomic<bool>& ranks_are_missing() {
  static std::atomic<bool> missing = false;
  return missing;
}
}  // namespace detail

}  // namespace weft::dist
