// Tuning: what is known of kernels' choices in this process, and the measuring of them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <map>
#include <mutex>
#include <unordered_map>

#include "weft/cuda/event.hpp"
#include "weft/cuda/runtime/tuner.hpp"
#include "weft/cuda/tune/contest.hpp"
#include "weft/cuda/tune/shape_class.hpp"

namespace weft::on_cuda::detail {

/// Two events, and so the time between them.
struct EventPair {
  cudaEvent_t begin = nullptr;
  cudaEvent_t end = nullptr;
};

/// A kernel at shapes of a class, on a GPU.
struct TunedKernel {
  struct Run {
    int choice;
    EventPair events;
  };
  TunedRecord record;  // without a choice: it is not known
  int device = 0;
  std::vector<Contest> contest;  // the latest one, if there was one
  std::vector<Run> running;
  bool measuring = false;
};

/// A run that is being timed, from the planning of the launch to its end.
struct TimedRun {
  TunedKernel* kernel;
  TunedKernel::Run run;
  cudaStream_t stream;
};

/// What tune() does on its thread: it lists the kernels that its statements launch, then measures
/// one after another.
struct TuneSession {
  struct Seen {
    TunedKernel* kernel;
    bool known;  // and not to be measured
  };
  int runs = 0;
  bool again = false;  // what is known, too
  std::vector<Seen> seen;
  TunedKernel* current = nullptr;
};

/// Shared by all threads.
class Tuning {
 public:
  /// Never destroyed: kernels may be launched until the process ends.
  static Tuning& get() {
    static auto* const tuning = new Tuning;
    return *tuning;
  }

  /// Reads the environment and the file; true if launches should ask for choices.
  bool start() {
    const std::lock_guard lock(mutex_);
    const char* const wanted = std::getenv("WEFT_TUNE");
    const bool off = wanted != nullptr && wanted[0] == '0' && wanted[1] == '\0';
    measures_ = weft::detail::environment_flag("WEFT_TUNE");
    file_ = TunedFile(TunedFile::default_path());
    kernels_.clear();
    known_.clear();
    session_of_thread() = nullptr;
    if (off) return false;
    std::string complaint;
    for (const TunedRecord& record : file_.read(complaint)) known_[record.key()] = record;
    tell(complaint);
    return measures_ || !known_.empty();
  }

  /// The choice for a launch, applied by `apply(choice)`; what it returns is given to `end`.
  template <class Plan>
  void* choose(PlannedLaunch& launch, const char* kind, const std::string& shape, Plan plan) {
    const ChoiceList choices = plan.choices();
    if (choices.n < 2) return nullptr;
    void* mark = nullptr;
    const int index = decide(launch, kind, shape, choices, mark);
    if (index > 0) {
      launch.chosen = choices.at[index];
      plan.apply(launch.chosen);
    }
    return mark;
  }

  void end(void* mark) noexcept {
    auto* const timed = static_cast<TimedRun*>(mark);
    const RelaxedCapture relaxed;
    const bool good = quiet(cudaEventRecord(timed->run.events.end, timed->stream));
    const std::lock_guard lock(mutex_);
    if (good) {
      timed->kernel->running.push_back(timed->run);
    } else {
      events_[timed->kernel->device].push_back(timed->run.events);
    }
    delete timed;
  }

  // tune() on this thread.

  void begin(TuneSession& session) {
    if (session_of_thread() != nullptr) {
      fail<ValueError>("tune", "tune() within what tune() runs, expected statements only");
    }
    session_of_thread() = &session;
  }
  void leave() noexcept {
    const std::lock_guard lock(mutex_);
    TuneSession* const session = session_of_thread();
    if (session->current != nullptr) session->current->measuring = false;
    session_of_thread() = nullptr;
  }
  /// From now on the session measures this kernel.
  void measure(TuneSession& session, TunedKernel& kernel) {
    const std::lock_guard lock(mutex_);
    collect(kernel);
    const ChoiceList choices = kernel.contest.front().choices();
    kernel.contest.assign(1, Contest(choices, session.runs));
    kernel.measuring = true;
    session.current = &kernel;
  }
  /// Whether every choice of the kernel that the session measures has been run.
  bool is_done(const TuneSession& session) {
    const std::lock_guard lock(mutex_);
    return session.current->contest.front().has_begun_all();
  }
  /// Ends measuring, once the stream is empty.
  void conclude(TuneSession& session) {
    const std::lock_guard lock(mutex_);
    collect(*session.current);
    finish(*session.current);
    session.current = nullptr;
  }

  /// Where choices are remembered; empty if nowhere.
  std::string path() {
    const std::lock_guard lock(mutex_);
    return file_.is_usable() ? file_.path() : std::string();
  }

 private:
  Tuning() : file_({}) {}

  static TuneSession*& session_of_thread() {
    static thread_local TuneSession* session = nullptr;
    return session;
  }
  static void tell(const std::string& complaint) {
    if (!complaint.empty()) std::fprintf(stderr, "weft: %s\n", complaint.c_str());
  }

  /// Which of a launch's choices to take, and in `mark` what times it.
  int decide(PlannedLaunch& launch, const char* kind, const std::string& shape,
             const ChoiceList& choices, void*& mark) {
    const int device = resolve(Cuda{launch.device});
    const std::lock_guard lock(mutex_);
    TunedKernel& kernel = find(launch, kind, shape, device);
    TuneSession* const session = launch.runs ? session_of_thread() : nullptr;
    if (session != nullptr && session->current == nullptr) {
      note(*session, kernel, choices);
    } else if (launch.runs && session == nullptr && measures_ && kernel.record.choice.empty() &&
               !kernel.measuring) {
      kernel.contest.assign(1, Contest(choices, default_runs));
      kernel.measuring = true;
    }
    const bool mine = session != nullptr ? session->current == &kernel : measures_;
    if (launch.runs && mine && kernel.measuring) {
      const int index = time_next(launch, kernel, choices, device, mark);
      if (mark != nullptr) return index;
      if (session == nullptr && kernel.contest.front().has_begun_all()) {
        collect(kernel);
        if (kernel.running.empty()) finish(kernel);
      }
    }
    const int known = find_choice(choices, kernel.record.choice);
    return known > 0 ? known : 0;
  }

  TunedKernel& find(const PlannedLaunch& launch, const char* kind, const std::string& shape,
                    int device) {
    const char* const type = launch.name.type != nullptr ? launch.name.type : "";
    const auto [known, is_new] = hashes_.try_emplace(type, 0);
    if (is_new) known->second = stable_hash(type);
    // A statement's gradients are of its type, and another operation.
    const std::uint64_t hash = stable_hash(launch.name.operation) * 31 + known->second;
    char identity[64];
    std::snprintf(identity, sizeof identity, "%s %016llx", kind,
                  static_cast<unsigned long long>(hash));
    TunedRecord record;
    record.gpu = one_field(properties(Cuda{device}).name.c_str());
    record.kernel = identity;
    record.shape = shape;
    TunedKernel& kernel = kernels_[record.key() + '\t' + std::to_string(device)];
    if (kernel.record.gpu.empty()) {
      const auto read = known_.find(record.key());
      if (read != known_.end()) record = read->second;
      if (record.name.empty()) record.name = std::string(weft::detail::text(launch.name));
      kernel.record = record;
      kernel.device = device;
    }
    return kernel;
  }

  static void note(TuneSession& session, TunedKernel& kernel, const ChoiceList& choices) {
    for (const TuneSession::Seen& seen : session.seen) {
      if (seen.kernel == &kernel) return;
    }
    const bool known = !session.again && find_choice(choices, kernel.record.choice) >= 0;
    session.seen.push_back({&kernel, known});
    if (!kernel.measuring) kernel.contest.assign(1, Contest(choices, session.runs));
  }

  /// Begins to time the next choice; without a mark if there is none, or if the launch is captured.
  int time_next(const PlannedLaunch& launch, TunedKernel& kernel, const ChoiceList& choices,
                int device, void*& mark) {
    if (is_capturing(launch.stream)) return 0;
    Contest& contest = kernel.contest.front();
    const int next = contest.next();
    if (next < 0) return 0;
    const int index = find_choice(choices, field_of(contest.choices().at[next]));
    if (index < 0) return 0;
    const RelaxedCapture relaxed;
    TimedRun timed{&kernel, {contest.warms_up() ? -1 : next, take_events(device)}, launch.stream};
    check(cudaEventRecord(timed.run.events.begin, launch.stream), "tune");
    mark = new TimedRun(timed);
    return index;
  }

  EventPair take_events(int device) {
    std::vector<EventPair>& free = events_[device];
    if (!free.empty()) {
      const EventPair pair = free.back();
      free.pop_back();
      return pair;
    }
    return {new_event(device, cudaEventDefault), new_event(device, cudaEventDefault)};
  }

  /// Takes the times of the runs that have ended.
  void collect(TunedKernel& kernel) {
    const RelaxedCapture relaxed;
    std::vector<TunedKernel::Run> left;
    for (const TunedKernel::Run& run : kernel.running) {
      float milliseconds = 0;
      const cudaError_t status =
          cudaEventElapsedTime(&milliseconds, run.events.begin, run.events.end);
      if (status == cudaErrorNotReady) {
        quiet(status);
        left.push_back(run);
        continue;
      }
      const int choices = kernel.contest.front().choices().n;
      if (quiet(status) && run.choice >= 0 && run.choice < choices) {
        kernel.contest.front().add(run.choice, 1e-3 * milliseconds);
      }
      events_[kernel.device].push_back(run.events);
    }
    kernel.running = left;
  }

  /// Decides, and remembers it.
  void finish(TunedKernel& kernel) {
    kernel.measuring = false;
    const Contest& contest = kernel.contest.front();
    if (!contest.is_decided()) return;
    const int winner = contest.winner();
    kernel.record.choice = field_of(contest.choices().at[winner]);
    kernel.record.planned = 1e6 * contest.time_of(0);
    kernel.record.fastest = 1e6 * contest.time_of(winner);
    std::string complaint;
    file_.append(kernel.record, complaint);
    tell(complaint);
  }

  static constexpr int default_runs = 7;
  std::mutex mutex_;
  TunedFile file_;
  bool measures_ = false;
  std::unordered_map<std::string, TunedRecord> known_;    // by the file
  std::unordered_map<std::string, TunedKernel> kernels_;  // that were launched
  std::unordered_map<const void*, std::uint64_t> hashes_;
  std::map<int, std::vector<EventPair>> events_;
};

}  // namespace weft::on_cuda::detail
