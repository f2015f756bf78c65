// tune(f): measures the planner's best few launches of each kernel, and remembers the fastest.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <type_traits>

#include "weft/core/expression.hpp"
#include "weft/cuda/tune/reduction_choices.hpp"
#include "weft/cuda/tune/tuning.hpp"

namespace weft::on_cuda {

/// How tune() measures.
struct TuneOptions {
  int runs = 7;      ///< of each choice, whose median is taken, after one that warms it up
  bool cold = true;  ///< each run finds the L2 cache full of other data, as within a large program
  bool again = false;  ///< what is known already, too
};

/// What was timed, and what won. Made by tune().
struct Tuned {
  struct Candidate {
    Text choice;         ///< "as planned", "128 threads a block"
    double seconds = 0;  ///< the median of its runs
  };
  struct Kernel {
    Text name;                          ///< of the expression
    Text kind;                          ///< "element-wise", "copy", "rows", "reduction", "scan"
    Text shape;                         ///< the class of shapes that the choice holds for
    std::vector<Candidate> candidates;  ///< the planner's own first
    std::size_t chosen = 0;             ///< of the candidates
    bool known = false;                 ///< from before: then only those two that matter are listed
  };
  Text device;  ///< the GPU's name
  Text file;    ///< where the choices are remembered; empty if nowhere
  std::vector<Kernel> kernels;
};

/// A line for each kernel and one for each of its launches, the one that won with a star.
inline Text to_string(const Tuned& tuned) {
  const auto micro = [](double seconds) {
    return weft::detail::formatted("%10.2f us", 1e6 * seconds);
  };
  Text out = "tuned on " + tuned.device;
  if (tuned.kernels.empty()) return out + ": no kernel has a choice of launches\n";
  if (!tuned.file.empty()) out += ", remembered in " + tuned.file;
  for (const Tuned::Kernel& kernel : tuned.kernels) {
    out += "\n  " + kernel.name + ", " + kernel.kind + " " + kernel.shape;
    if (kernel.known) out += " (known)";
    for (std::size_t i = 0; i < kernel.candidates.size(); ++i) {
      out += "\n  " + micro(kernel.candidates[i].seconds) + (i == kernel.chosen ? " * " : "   ") +
             kernel.candidates[i].choice;
    }
  }
  return out + "\n";
}

/// Prints to_string(t) to a stream.
template <class S, std::same_as<Tuned> T>
  requires requires(S& stream, const char* characters) { stream << characters; }
S& operator<<(S& stream, const T& t) {
  stream << to_string(t).c_str();
  return stream;
}

namespace detail {

/// A copy that goes element by element is timed to the end of the kernel that does it.
inline void*& copy_by_elements() {
  static thread_local void* mark = nullptr;
  return mark;
}

inline void* tune_copy(PlannedLaunch& launch, const Loops& loops, const Operand* operands,
                       CopyLaunch& plan, TurnedCopy& turned, TiledCopy& tiled, FlatCopy& flat) {
  const CopyChoices choices{loops, operands, plan, turned, tiled, flat};
  void* const mark = Tuning::get().choose(launch, "copy", shape_class(loops, operands, 2), choices);
  if (plan.blocks > 0) return mark;
  copy_by_elements() = mark;
  return nullptr;
}

inline void* tune_for_each(PlannedLaunch& launch, const Loops& loops, const Operand* operands,
                           int n, const ForEachKernels& kernels, ForEachLaunch& plan,
                           ElementwiseLoops& grid, int* transposed) {
  if (void* const mark = copy_by_elements()) {
    copy_by_elements() = nullptr;
    return mark;
  }
  const ForEachPlan choices{loops, operands, n, kernels, plan, grid, transposed};
  return Tuning::get().choose(launch, "element-wise", shape_class(loops, operands, n), choices);
}

inline void* tune_rows(PlannedLaunch& launch, const RowKernel& kernel, RowLaunch& plan,
                       RowLoops& grid, const RowOperand* operands) {
  const int64_t shared = properties(Cuda{launch.device}).shared_memory_per_block;
  return Tuning::get().choose(launch, "rows", shape_class(kernel, plan, grid, operands),
                              RowChoices{kernel, plan, grid, shared});
}

inline void* tune_reduction(PlannedLaunch& launch, int column_lanes, ReduceLoops& grid) {
  return Tuning::get().choose(launch, "reduction", shape_class(grid),
                              ReduceChoices{grid, column_lanes});
}

inline void* tune_groups(PlannedLaunch& launch, const ThreadGroups& work, unsigned& threads) {
  return Tuning::get().choose(launch, work.kind, shape_class(work), GroupChoices{threads});
}

inline void end_tuned(void* mark) noexcept { Tuning::get().end(mark); }

inline constexpr Tuner measuring_tuner{tune_copy,   tune_for_each, tune_rows, tune_reduction,
                                       tune_groups, end_tuned,     text_of};

/// Has launches ask for choices from now on.
inline void install_tuner() { __atomic_store_n(&tuner, &measuring_tuner, __ATOMIC_RELEASE); }

/// Reads WEFT_TUNE, WEFT_TUNE_FILE and the file anew.
inline bool restart_tuning() {
  const bool wanted = Tuning::get().start();
  __atomic_store_n(&tuner, wanted ? &measuring_tuner : nullptr, __ATOMIC_RELEASE);
  return wanted;
}

/// Including this header in one file of a program is enough.
inline const bool tunes_from_start = restart_tuning();

/// A session of the calling thread.
class SessionGuard {
 public:
  explicit SessionGuard(TuneSession& session) { Tuning::get().begin(session); }
  ~SessionGuard() { Tuning::get().leave(); }
  SessionGuard(const SessionGuard&) = delete;
  SessionGuard& operator=(const SessionGuard&) = delete;
};

inline Tuned report(const TuneSession& session, const Properties& gpu) {
  Tuned out;
  out.device = gpu.name;
  out.file = Tuning::get().path();
  for (const auto& [kernel, known] : session.seen) {
    // Another kernel's new choice may have taken its place before it was measured.
    if (!known && !kernel->contest.front().is_decided()) continue;
    Tuned::Kernel& found = out.kernels.emplace_back();
    found.known = known;
    const std::string& identity = kernel->record.kernel;
    found.name = kernel->record.name;
    found.kind = identity.substr(0, identity.find(' '));
    found.shape = kernel->record.shape;
    const Contest& contest = kernel->contest.front();
    if (known) {
      const int index = find_choice(contest.choices(), kernel->record.choice);
      found.candidates.push_back({"as planned", 1e-6 * kernel->record.planned});
      if (index <= 0) continue;
      found.candidates.push_back(
          {text_of(contest.choices().at[index]), 1e-6 * kernel->record.fastest});
      found.chosen = 1;
      continue;
    }
    for (int i = 0; i < contest.choices().n; ++i) {
      found.candidates.push_back({text_of(contest.choices().at[i]), contest.time_of(i)});
    }
    found.chosen = static_cast<std::size_t>(contest.winner());
  }
  return out;
}

[[gnu::noinline]] inline Tuned tune_statements(void (*f)(void*), void* context,
                                               const TuneOptions& options) {
  if (options.runs < 1) {
    fail<ValueError>("tune", options.runs, " runs of each choice, expected at least 1");
  }
  const Stream stream = current_stream();
  const Cuda device = stream.device();
  refuse_capture(stream.handle(), "tune");
  install_tuner();
  TuneSession session;
  session.runs = options.runs;
  session.again = options.again;
  const SessionGuard guard(session);
  f(context);
  const auto evicted = 2 * properties(device).l2_bytes;
  StorageHandle other;
  const auto is_unknown = [](const TuneSession::Seen& seen) { return !seen.known; };
  if (options.cold && std::any_of(session.seen.begin(), session.seen.end(), is_unknown)) {
    other = StorageHandle(Memory<Cuda>::allocate(device, evicted));
  }
  for (std::size_t k = 0; k < session.seen.size(); ++k) {
    if (session.seen[k].known) continue;
    Tuning::get().measure(session, *session.seen[k].kernel);
    const int most = 4 * ChoiceList::most * (options.runs + 1);  // where f launches it no more
    for (int i = 0; i < most && !Tuning::get().is_done(session); ++i) {
      if (other) {
        check(cudaMemsetAsync(other->data, 0, static_cast<std::size_t>(evicted), stream.handle()),
              "tune");
      }
      f(context);
    }
    synchronize(device);
    Tuning::get().conclude(session);
  }
  return report(session, properties(device));
}

}  // namespace detail

/// Runs f(), statements on the current GPU, some dozens of times to find the fastest launch of each
/// of its kernels among some that give the same bits; once, where all are known already. These are
/// used from then on by statements of the same type at shapes of the same class, and by later runs
/// of programs that include this header. What f() accumulates, it accumulates in each run.
template <std::invocable F>
Tuned tune(F&& f, const TuneOptions& options = {}) {
  using Function = std::remove_reference_t<F>;
  return detail::tune_statements([](void* g) { (*static_cast<Function*>(g))(); },
                                 const_cast<void*>(static_cast<const void*>(&f)), options);
}

/// The same for evaluating `e`.
template <ExpressionLike E>
Tuned tune(const E& e, const TuneOptions& options = {}) {
  auto out = decltype(Tensor(e))(e).clone();
  return tune([&] { out.assign(e); }, options);
}

}  // namespace weft::on_cuda
