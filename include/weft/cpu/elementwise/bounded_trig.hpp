// Loops with sin, cos and tan of double: vectorised wherever all angles of a run are small enough.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/core/math/trigonometric.hpp"
#include "weft/cpu/elementwise/block.hpp"
#include "weft/cpu/elementwise/loop_contents.hpp"
#include "weft/ops/elementwise/cast.hpp"

namespace weft::cpu::detail {

/// Whether a loop checks a run's angles before it computes the run.
#if defined(__FAST_MATH__)  // which has other forms
template <class P>
inline constexpr bool looks_at_angles = false;
#else
template <class P>
inline constexpr bool looks_at_angles = (loop_contents<P> & LoopContents::angles) != 0 &&
                                        !has_effects<P> && !calls_user<P>;
#endif

/// The inputs of a program whose angles are known to be small.
template <class Inputs>
struct NearAt : Inputs {
  static constexpr bool applies = true;
  template <class Op, class... Vs>
  WEFT_ALWAYS_INLINE auto apply(const Op& op, Vs... values) const {
    return op.value(values...);
  }
  WEFT_ALWAYS_INLINE double apply(const op::sin&, double x) const {
    return math::simd::near_sin(x);
  }
  WEFT_ALWAYS_INLINE double apply(const op::cos&, double x) const {
    return math::simd::near_cos(x);
  }
  WEFT_ALWAYS_INLINE double apply(const op::tan&, double x) const {
    return math::simd::near_tan(x);
  }
};

/// The same, but notes in `far` whether an angle is not.
template <class Inputs>
struct AngleAt : NearAt<Inputs> {
  std::uint64_t& far;
  template <class Op, class... Vs>
  WEFT_ALWAYS_INLINE auto apply(const Op& op, Vs... values) const {
    if constexpr (takes_angle<Op, Vs...>) {
      ((far |= ~math::simd::is_near_angle(values)), ...);
    }
    return NearAt<Inputs>::apply(op, values...);
  }
};

/// Runs the programs of a pack for the notes that they leave in `inputs`.
template <class Inputs>
WEFT_INLINE void look(const Pack<>&, const Inputs&) {}
template <class P, class... Rest, class Inputs>
WEFT_INLINE void look(const Pack<P, Rest...>& programs, const Inputs& inputs) {
  if constexpr (looks_at_angles<P>) static_cast<void>(programs.head(inputs));
  look(programs.tail, inputs);
}

/// f(at(i)) for first <= i < last in one vectorised loop; no f may write what another reads.
template <class At, class F>
WEFT_INLINE void each_of(int64_t first, int64_t last, const At& at, const F& f) {
#if !defined(__clang__)
#pragma GCC ivdep
#endif
  for (int64_t i = first; i < last; ++i) f(at(i));
}

/// The same for n elements of programs whose angles are checked: f computes and stores them from
/// the inputs at(i).
template <class Programs, class At, class F>
WEFT_INLINE void each_element(const Programs& programs, int64_t n, const At& at, const F& f) {
  using Inputs = decltype(at(n));
  for (int64_t first = 0; first < n; first += block_size) {
    const int64_t last = n - first < block_size ? n : first + block_size;
    std::uint64_t far = 0;
    for (int64_t i = first; i < last; ++i) look(programs, AngleAt<Inputs>{{at(i)}, far});
    if (far != 0) {
      each_of(first, last, at, f);
    } else {
      each_of(
          first, last, [&](int64_t i) WEFT_ALWAYS_INLINE { return NearAt<Inputs>{at(i)}; }, f);
    }
  }
}

}  // namespace weft::cpu::detail
