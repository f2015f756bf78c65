// profile(e), profile(f): the time of a statement, compared with the time that its bytes need.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/eval/inspect/explain.hpp"

namespace weft {

struct ProfileOptions {
  double seconds = 0.2;  ///< to be spent, about
  int rounds = 5;        ///< whose median is taken
  double bandwidth = 0;  ///< as for explain()
};

/// Runs f() `runs` times on device D and returns the seconds that it took in all; specialised in
/// cpu/inspect/profile.hpp and cuda/inspect/profile.hpp:
///   static double seconds(D, int64_t runs, void (*f)(void*), void* context);
template <class D>
struct Stopwatch;

/// What was measured. Made by profile().
struct Profile {
  Text name;           ///< of the expression, where one was given
  double seconds = 0;  ///< a run: the median of the rounds
  double fastest = 0;  ///< a run of the fastest round
  int64_t runs = 0;    ///< of a round
  int rounds = 0;
  int64_t bytes = 0;    ///< that a run reads and writes, as explained; 0 where unknown
  double expected = 0;  ///< the seconds that memory bandwidth allows; 0 where unknown
  double estimate = 0;  ///< the seconds that the model estimates; 0 where it does not

  /// Bytes a second.
  double rate() const { return seconds > 0 ? static_cast<double>(bytes) / seconds : 0; }
  /// Percent of the speed that memory bandwidth allows; above 100 if caches hold operands.
  double percent() const { return seconds > 0 ? 100 * expected / seconds : 0; }
  /// The measured time over the estimate; 0 where there is none.
  double over_estimate() const { return estimate > 0 ? seconds / estimate : 0; }
};

WEFT_ONCE inline Text to_string(const Profile& p) {
  using namespace detail;
  Text out = p.name.empty() ? Text() : p.name + ": ";
  out += join({seconds_text(p.seconds), " (median of ", p.rounds, " rounds of ", p.runs,
               ", fastest ", seconds_text(p.fastest), ")"});
  if (p.bytes > 0) out += ", " + rate_text(p.rate());
  if (p.expected > 0) {
    out += join({", ", formatted("%.0f", p.percent()), " % of what memory allows (",
                 seconds_text(p.expected), ")"});
  }
  if (p.estimate > 0) {
    out += join({", ", formatted("%.2f", p.over_estimate()), " of the estimate (",
                 seconds_text(p.estimate), ")"});
  }
  return out + "\n";
}

/// Prints to_string(p) to a stream.
template <class S, std::same_as<Profile> P>
  requires requires(S& stream, const char* characters) { stream << characters; }
S& operator<<(S& stream, const P& p) {
  stream << to_string(p).c_str();
  return stream;
}

namespace detail {

/// Whether the header that measures on D is included.
template <class D>
constexpr bool can_profile() {
  constexpr bool here = Complete<Stopwatch<D>>;
  static_assert(here,
                "weft: to profile a statement include <weft/explain.hpp>, for Cuda in a file that "
                "nvcc compiles");
  return here;
}

/// Runs f once to warm up, then as often as the options give time for.
template <class D>
[[gnu::noinline]] Profile measure(D device, void (*f)(void*), void* context,
                                  const ProfileOptions& options) {
  if (options.rounds < 1 || !(options.seconds > 0)) {
    fail<ValueError>("profile", options.rounds, " rounds in ", options.seconds,
                     " seconds, expected at least 1 round and time above 0");
  }
  using Clock = Stopwatch<D>;
  Profile out;
  Clock::seconds(device, 1, f, context);
  const double once = Clock::seconds(device, 1, f, context);
  const double runs = options.seconds / options.rounds / (once > 1e-7 ? once : 1e-7);
  out.runs = runs < 1 ? 1 : runs > 10000 ? 10000 : static_cast<int64_t>(runs);
  out.rounds = options.rounds;
  std::vector<double> times;
  for (int i = 0; i < options.rounds; ++i) {
    const double time =
        Clock::seconds(device, out.runs, f, context) / static_cast<double>(out.runs);
    std::size_t at = times.size();
    times.push_back(time);
    for (; at > 0 && times[at - 1] > time; --at) times[at] = times[at - 1];
    times[at] = time;
  }
  out.seconds = times[times.size() / 2];
  out.fastest = times[0];
  return out;
}

template <class F>
void call(void* f) {
  (*static_cast<F*>(f))();
}
}  // namespace detail

/// The time of f(), which runs statements on `device`, when calls follow one another without
/// waiting: the device's time, or the host's if that is longer.
template <std::invocable F, Device D = Cpu>
[[nodiscard]] Profile profile(F&& f, D device = {}, const ProfileOptions& options = {}) {
  using Runs = detail::loops_of<D>;
  using Function = std::remove_reference_t<F>;
  if constexpr (detail::can_profile<Runs>()) {
    return detail::measure<Runs>(device, detail::call<Function>,
                                 const_cast<void*>(static_cast<const void*>(&f)), options);
  }
  return {};
}

/// The same, compared with explain()'s report on the statement's expression.
template <std::invocable F, Device D = Cpu>
[[nodiscard]] Profile profile(F&& f, const Explanation& explanation, D device = {},
                              const ProfileOptions& options = {}) {
  Profile out = profile(f, device, options);
  out.name = explanation.name;
  out.bytes = explanation.bytes();
  out.expected = explanation.expected_seconds();
  out.estimate = explanation.estimated_seconds();
  return out;
}

/// The time of evaluating `e` into an existing tensor, compared with explain(e).
template <ExpressionLike E>
[[nodiscard]] Profile profile(const E& e, const ProfileOptions& options = {}) {
  const Explanation explanation = explain(e, {.bandwidth = options.bandwidth});
  auto out = decltype(Tensor(e))(e).clone();
  return profile([&] { out.assign(e); }, explanation, out.device(), options);
}

}  // namespace weft
