// Circle: the members of a group, its engines, its progress, and who keeps it waiting.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <sstream>

#include "weft/dist/world.hpp"
#include "weft/eval/program/settings.hpp"

namespace weft::dist {

/// What the handles of a Group share: its members, its engines, and its progress.
class Circle {
 public:
  Circle(std::shared_ptr<World> world, std::string name, std::vector<int> members)
      : world_(std::move(world)), name_(std::move(name)), members_(std::move(members)) {
    const auto me = std::find(members_.begin(), members_.end(), world_->launch().rank);
    rank_ = static_cast<int>(me - members_.begin());
    const std::lock_guard lock(world_->mutex_);
    world_->circles_.push_back(this);
  }
  Circle(const Circle&) = delete;
  Circle& operator=(const Circle&) = delete;
  ~Circle() {
    const std::lock_guard lock(world_->mutex_);
    std::erase(world_->circles_, this);
  }

  World& world() const { return *world_; }
  const std::shared_ptr<World>& shared_world() const { return world_; }
  const std::string& name() const { return name_; }
  int rank() const { return rank_; }
  int size() const { return static_cast<int>(members_.size()); }
  const std::vector<int>& members() const { return members_; }
  std::string key(const std::string& what, int rank) const {
    return name_ + "/" + what + "/" + std::to_string(rank);
  }

  /// Throws the error that the watching thread has found.
  void check(const char* operation) const {
    if (failed_.load(std::memory_order_acquire)) {
      fail<DistributedError>(operation, failure_.c_str());
    }
  }
  bool has_failed() const { return failed_.load(std::memory_order_acquire); }

  /// Counts a call, and with WEFT_CHECK=1 compares it with what the other ranks call, a send with
  /// its recv.
  void begin(const Call& call) {
    check(dist::name(call.kind));
    if (call.kind == Kind::send || call.kind == Kind::recv) {
      if (weft::detail::check_requested()) compare_message(call);
      return;
    }
    kind_.store(call.kind, std::memory_order_relaxed);
    const long number = 1 + sequence_.fetch_add(1, std::memory_order_release);
    if (weft::detail::check_requested()) compare(call, number);
  }
  long sequence() const { return sequence_.load(std::memory_order_acquire); }

  /// Says whom call `number`, which takes too long, is waiting for.
  std::string late(long number, bool patient = true) {
    if (patient) std::this_thread::sleep_for(1.5 * world_->interval());
    std::string out;
    std::string ended;  // though they had started it, as those do that gave up sooner
    try {
      post();
      const std::string dead = world_->store().get("dead").value_or("");
      const std::string left = world_->store().get("left").value_or("");
      for (std::size_t r = 0; r < members_.size(); ++r) {
        const std::string known =
            world_->store().get(key("at", static_cast<int>(r))).value_or("0 nothing");
        std::istringstream in(known);
        long at = 0;
        std::string what;
        in >> at >> what;
        const std::string who = "rank " + std::to_string(members_[r]);
        if (lists(dead, members_[r])) {
          out += "; " + who + " is gone";
        } else if (lists(left, members_[r])) {
          (at < number ? out : ended) += "; " + who + " has ended";
        } else if (at < number) {
          out += "; " + who + " has not started it";
          out += at == 0 ? ", nor any other"
                         : ", its last was call " + std::to_string(at) + ", " + what;
        }
      }
    } catch (const Error&) {
      out = "; rank 0 is gone";
    }
    if (out.empty()) out = ended;
    if (out.empty()) {
      out = "; all ranks have started it";
      if (!weft::detail::check_requested()) out += ": WEFT_CHECK=1 compares their calls";
    }
    const std::string limit = std::to_string(world_->timeout().count());
    return "call " + std::to_string(number) + " of the group was not done in " +
           limit.substr(0, limit.find('.') + 2) + " s" + out;
  }

  /// Ends all calls with this message; the first one stays.
  void end(const std::string& message) {
    const std::lock_guard lock(failing_);
    if (failed_) return;
    detail::ranks_are_missing() = true;
    failure_ = message;
    failed_.store(true, std::memory_order_release);
    for (const auto& engine : engines_) {
      if (engine) engine->abort();
    }
  }

  /// Each rank's line `mine`, exchanged over the store: the first member collects. Slow, but needs
  /// no engine, and says who is missing.
  std::vector<std::string> exchange(const char* operation, const std::string& entry,
                                    const std::string& mine) {
    if (size() == 1) return {mine};
    Store& store = world_->store();
    const std::string table = key(entry, -1);
    std::string all;
    if (rank_ == 0) {
      all = mine + "\n";
      std::string missing;
      const auto end =
          Clock::now() + std::chrono::duration_cast<Clock::duration>(world_->timeout());
      for (int r = 1; r < size(); ++r) {
        const std::string theirs = key(entry, r);
        const auto found = store.wait(theirs, std::max(Seconds(end - Clock::now()), Seconds(0)));
        all += found.value_or("") + "\n";
        if (found) {
          store.set(theirs, "");
        } else {
          missing += (missing.empty() ? "rank " : ", rank ") +
                     std::to_string(members_[static_cast<std::size_t>(r)]);
        }
      }
      if (!missing.empty()) all = "!" + missing;
      store.set(table, all);
      if (!last_table_.empty()) store.set(last_table_, "");  // all have been past it
      last_table_ = table;
    } else {
      store.set(key(entry, rank_), mine);
      const auto found = store.wait(table, 1.5 * world_->timeout());
      all = found.value_or("!rank " + std::to_string(members_[0]));
    }
    if (all[0] == '!') {
      fail<DistributedError>(operation, all.substr(1).c_str(), " did not come in ",
                             world_->timeout().count(), " s");
    }
    std::vector<std::string> out;
    std::istringstream in(all);
    for (std::string line; std::getline(in, line);) out.push_back(line);
    return out;
  }

  static bool lists(const std::string& ranks, int rank) {
    return (" " + ranks).find(" " + std::to_string(rank) + " ") != std::string::npos;
  }

  /// The engine of Cpu (0) or Cuda (1); null before the first call there.
  Engine* engine(int device) const { return engines_[device].get(); }
  void install(int device, std::unique_ptr<Engine> engine) {
    const std::lock_guard lock(world_->mutex_);
    engines_[device] = std::move(engine);
  }

  int splits = 0;  ///< how often the group was split

 private:
  friend class World;

  /// Tells the others how far this rank is.
  void post() {
    const long now = sequence();
    if (now == posted_ || size() == 1) return;
    posted_ = now;
    world_->store().set(key("at", rank_), std::to_string(now) + " " +
                                              dist::name(kind_.load(std::memory_order_relaxed)));
  }

  [[gnu::cold, gnu::noinline]] void compare(const Call& call, long number) {
    const std::string mine = described(call);
    const auto all = exchange(dist::name(call.kind), "check" + std::to_string(number), mine);
    std::string differing;
    for (std::size_t r = 0; r < all.size(); ++r) {
      if (all[r] != mine) {
        differing += ", rank " + std::to_string(members_[r]) + " calls " + all[r];
      }
    }
    if (!differing.empty()) {
      fail<DistributedError>(dist::name(call.kind), "call ", number,
                             " differs between ranks: rank ", world_->launch().rank, " calls ",
                             mine.c_str(), differing.c_str());
    }
  }

  /// A send with its recv: the second of the two finds what the first has left, and neither waits,
  /// since in a batch they may come in any order.
  [[gnu::cold, gnu::noinline]] void compare_message(const Call& call) {
    const bool sends = call.kind == Kind::send;
    const int me = members_[static_cast<std::size_t>(rank_)];
    const int other = members_[static_cast<std::size_t>(call.peer)];
    const std::string between = "rank " + std::to_string(sends ? me : other) + " to rank " +
                                std::to_string(sends ? other : me);
    const long number = ++messages_[between];
    const std::string entry = name_ + "/" + between + "/" + std::to_string(number) + "/";
    const Text shape = text(call.shape);
    const std::string mine = std::string(weft::name(call.dtype)) + " " + shape.c_str();
    Store& store = world_->store();
    store.set(entry + (sends ? "sent" : "received"), mine);
    const auto theirs = store.get(entry + (sends ? "received" : "sent"));
    if (!theirs) return;
    store.set(entry + "sent", "");
    store.set(entry + "received", "");
    if (*theirs == mine) return;
    fail<DistributedError>(dist::name(call.kind), "message ", number, " from ", between.c_str(),
                           " is sent as ", (sends ? mine : *theirs).c_str(), " and received as ",
                           (sends ? *theirs : mine).c_str());
  }

  std::shared_ptr<World> world_;
  std::string name_;
  std::vector<int> members_;
  int rank_ = 0;
  std::atomic<long> sequence_ = 0;
  std::atomic<Kind> kind_ = Kind::barrier;
  std::atomic<long> posted_ = 0;
  std::mutex failing_;
  std::atomic<bool> failed_ = false;
  std::string failure_;
  std::string last_table_;
  std::map<std::string, long> messages_;  // so far, with WEFT_CHECK=1
  std::unique_ptr<Engine> engines_[2];
};

inline void World::watch() {
  std::unique_lock lock(mutex_);
  while (!wake_.wait_for(lock, interval(), [this] { return stopping_; })) {
    std::string dead;
    bool closing = false;
    try {
      for (Circle* c : circles_) c->post();
      dead = store_->get("dead").value_or("");
      closing = launch_.rank != 0 && store_->get("closing").has_value();
    } catch (const Error&) {
      dead = "0 ";
    }
    for (Circle* c : circles_) {
      for (const int r : c->members()) {
        if (Circle::lists(dead, r)) {
          c->end("rank " + std::to_string(r) + " is gone: its process has ended or cannot be " +
                 "reached; call " + std::to_string(c->sequence()) + " of the group was " +
                 dist::name(c->kind_.load(std::memory_order_relaxed)));
        }
      }
      for (const auto& engine : c->engines_) {
        if (!engine || c->has_failed()) continue;
        bool late = false;
        std::string problem = engine->poll(timeout_, late);
        if (late) problem = c->late(c->sequence());
        if (!problem.empty()) c->end(problem);
      }
    }
    if (closing) return;  // rank 0 has ended: nobody is left to say who is gone
  }
}

}  // namespace weft::dist
