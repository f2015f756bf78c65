// Loops with functions that are faster where all of a run's arguments are near: angles, quotients.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/core/math/quotient.hpp"
#include "weft/core/math/special/parts.hpp"
#include "weft/core/math/trigonometric.hpp"
#include "weft/cpu/elementwise/block.hpp"
#include "weft/cpu/elementwise/loop_contents.hpp"
#include "weft/ops/elementwise/cast.hpp"

namespace weft::cpu::detail {

/// Whether a loop checks a run's arguments before it computes the run.
#if defined(__FAST_MATH__)  // which has other forms
template <class P>
inline constexpr bool looks_at_arguments = false;
#else
template <class P>
inline constexpr bool looks_at_arguments = (loop_contents<P> & LoopContents::nearness) != 0 &&
                                           !has_effects<P> && !calls_user<P>;
#endif

/// The inputs of a program whose arguments are known to be near.
template <class Inputs>
struct NearAt : Inputs {
  static constexpr bool applies = true;
  template <class Op, class... Vs>
  WEFT_ALWAYS_INLINE auto apply(const Op& op, Vs... values) const {
    return op.value(values...);
  }
  template <std::floating_point T>
  WEFT_ALWAYS_INLINE T apply(const op::sin&, T x) const {
    return math::simd::near_sin(x);
  }
  template <std::floating_point T>
  WEFT_ALWAYS_INLINE T apply(const op::cos&, T x) const {
    return math::simd::near_cos(x);
  }
  template <std::floating_point T>
  WEFT_ALWAYS_INLINE T apply(const op::tan&, T x) const {
    return math::simd::near_tan(x);
  }
  template <std::floating_point T>
  WEFT_ALWAYS_INLINE T apply(const op::mod&, T x, T y) const {
    return math::simd::near_mod(x, y);
  }
  template <std::floating_point T>
  WEFT_ALWAYS_INLINE T apply(const op::fmod&, T x, T y) const {
    return math::simd::near_mod(x, y);
  }
  template <std::floating_point T>
  WEFT_ALWAYS_INLINE T apply(const op::remainder&, T x, T y) const {
    return math::remainder_from(math::simd::near_mod(x, y), y);
  }
  template <std::floating_point T>
  WEFT_ALWAYS_INLINE T apply(const op::floor_divide&, T x, T y) const {
    return math::floor_divide_from(x, y, math::simd::near_mod(x, y));
  }
};

/// The same, but notes in `far` whether an argument is not.
template <class Inputs>
struct LookAt : NearAt<Inputs> {
  std::uint64_t& far;
  template <class Op, class... Vs>
  WEFT_ALWAYS_INLINE auto apply(const Op& op, Vs... values) const {
    if constexpr (is_faster_near<Op, Vs...>) far |= ~is_near(values...);
    return NearAt<Inputs>::apply(op, values...);
  }

 private:
  template <class T>
  WEFT_ALWAYS_INLINE static std::uint64_t is_near(T x) {
    return math::simd::is_near_angle(x);
  }
  template <class T>
  WEFT_ALWAYS_INLINE static std::uint64_t is_near(T x, T y) {
    return math::simd::is_near_quotient(x, y);
  }
};

/// Runs the programs of a pack for the notes that they leave in `inputs`.
template <class Inputs>
WEFT_INLINE void look(const Pack<>&, const Inputs&) {}
template <class P, class... Rest, class Inputs>
WEFT_INLINE void look(const Pack<P, Rest...>& programs, const Inputs& inputs) {
  if constexpr (looks_at_arguments<P>) static_cast<void>(programs.head(inputs));
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

/// The same for n elements of programs whose arguments are checked: f computes and stores them from
/// the inputs at(i).
template <class Programs, class At, class F>
WEFT_INLINE void each_element(const Programs& programs, int64_t n, const At& at, const F& f) {
  using Inputs = decltype(at(n));
  for (int64_t first = 0; first < n; first += block_size) {
    const int64_t last = n - first < block_size ? n : first + block_size;
    std::uint64_t far = 0;
    for (int64_t i = first; i < last; ++i) look(programs, LookAt<Inputs>{{at(i)}, far});
    if (far != 0) {
      each_of(first, last, at, f);
    } else {
      each_of(
          first, last, [&](int64_t i) WEFT_ALWAYS_INLINE { return NearAt<Inputs>{at(i)}; }, f);
    }
  }
}

}  // namespace weft::cpu::detail
