// What the row kernel for full vectors keeps in registers, by type.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>

#include "weft/cuda/rows/lane.hpp"
#include "weft/cuda/rows/ragged.hpp"
#include "weft/cuda/rows/reuse.hpp"
#include "weft/eval/rows/kept.hpp"

#if defined(__CUDACC__)

namespace weft::on_cuda::detail {

/// V elements as words, so that they are copied word by word whatever their type.
template <class T, int V>
struct RowWords {
  static constexpr int n = (static_cast<int>(sizeof(T)) * V + 3) / 4;
  unsigned word[n];

  __device__ __forceinline__ T lane(int j) const {
    T out;
    if constexpr (sizeof(T) >= 4) {
      __builtin_memcpy(&out, word + j * static_cast<int>(sizeof(T) / 4), sizeof(T));
    } else {
      constexpr int in_word = 4 / static_cast<int>(sizeof(T));
      const unsigned bits = word[j / in_word] >> (j % in_word * 32 / in_word);
      const auto half = static_cast<unsigned short>(bits);
      const auto byte = static_cast<unsigned char>(bits);
      if constexpr (sizeof(T) == 2) {
        __builtin_memcpy(&out, &half, 2);
      } else {
        __builtin_memcpy(&out, &byte, 1);
      }
    }
    return out;
  }
  using Whole = std::conditional_t<sizeof(T) < 4, Vector<unsigned, n>, Vector<T, V>>;
  /// An aligned vector.
  __device__ __forceinline__ void load(const char* from) {
    const auto whole = *reinterpret_cast<const Whole*>(from);
    __builtin_memcpy(word, &whole, sizeof(whole));
  }
  __device__ __forceinline__ void store(char* to) const {
    Whole whole;
    __builtin_memcpy(&whole, word, sizeof(whole));
    *reinterpret_cast<Whole*>(to) = whole;
  }
  /// The same where the elements are not aligned for a vector.
  __device__ __forceinline__ void load_elements(const char* from) {
    Vector<T, V> whole;
#pragma unroll
    for (int j = 0; j < V; ++j) whole.lane[j] = reinterpret_cast<const T*>(from)[j];
    join(whole);
  }
  /// Lanes `begin` to `end` - 1 of a vector, and zeros.
  __device__ __forceinline__ void load_some(const char* from, int begin, int end) {
    Vector<T, V> some{};
#pragma unroll
    for (int j = 0; j < V; ++j) {
      if (j >= begin && j < end) some.lane[j] = reinterpret_cast<const T*>(from)[j];
    }
    join(some);
  }
  /// Elements as words, which are whole from there on: where paths meet, the compiler would wait
  /// for words that are being loaded to take them apart.
  __device__ __forceinline__ void join(const Vector<T, V>& lanes) {
    __builtin_memcpy(word, &lanes, sizeof(lanes));
    if constexpr (sizeof(T) < 4) {
#pragma unroll
      for (unsigned& w : word) weft::detail::ptx::keep_whole(w);
    }
  }
  __device__ __forceinline__ void fill(const T& value) {
    Vector<T, V> whole;
#pragma unroll
    for (int j = 0; j < V; ++j) whole.lane[j] = value;
    __builtin_memcpy(word, &whole, sizeof(whole));
  }
};
/// Positions: of lane 0, and from a lane to the next.
template <int V>
struct RowWords<IndexOperand, V> {
  long long first;
  int step;
  __device__ __forceinline__ long long lane(int j) const { return first + j * step; }
};

/// How many of some reductions that read an operand only are of one pattern, at most.
template <class... Rs>
constexpr int most_of_one_pattern() {
  const std::uint64_t number[] = {weft::detail::pattern_number<decltype(Rs::program)>...};
  const bool first[] = {weft::detail::reductions_of<decltype(Rs::program)> == 0 ...};
  int most = 0;
  for (std::size_t i = 0; i < sizeof...(Rs); ++i) {
    int times = 0;
    for (std::size_t j = 0; j < sizeof...(Rs); ++j) times += first[j] && number[i] == number[j];
    most = times > most ? times : most;
  }
  return most;
}

/// A thread keeps its part of an operand, of the type of the first that a reduction reads, or with
/// two `Slots` of two of that type; or, with `Computed`, the values of a part of the program, and
/// Program reads those (weft::detail::KeptPart).
template <class Outs, class Types, int V, class Program, bool Computed = false, int Slots = 1>
struct RegisterLayout;
template <class... Outs, class... Ts, int V, class... Rs, class... Ps, bool Computed, int Slots>
struct RegisterLayout<TypeList<Outs...>, TypeList<Ts...>, V, RowProgram<Pack<Rs...>, Pack<Ps...>>,
                      Computed, Slots> {
  static constexpr bool computed = Computed;
  static constexpr int outputs = sizeof...(Outs);
  static constexpr std::uint64_t positions = RowKernelTypes<Ts...>::positions << outputs;
  /// The operands with memory that reductions read.
  static constexpr std::uint64_t reduced =
      (uses_of<decltype(Rs::program)> | ...) & ~positions & ~uses_of<weft::detail::Kept<float>>;
  /// The most operands that a reduction reads, as its program names them.
  static constexpr int most_operands = [] {
    int most = 1;
    const auto count = [&](std::uint64_t uses) {
      const int n = std::popcount(uses & ~positions);
      most = n > most ? n : most;
    };
    (count(uses_of<decltype(Rs::program)>), ...);
    return most;
  }();
  using Element = typename std::conditional_t<
      Computed, std::type_identity<float>,
      Nth<Computed || reduced == 0 ? 0 : std::countr_zero(reduced) - outputs, Ts...>>::type;
  /// The leaves of that type.
  static constexpr std::uint64_t may_keep = Computed ? 0 : leaves_of_type<Element, Ts...>(outputs);
  /// No reduction needs another.
  static constexpr bool alone = ((weft::detail::reductions_of<decltype(Rs::program)> == 0) && ...);
  /// There is only the kernel that keeps two operands: a reduction reads both, and the outputs read
  /// them again, as in the gradient of softmax.
  static constexpr bool keeps_two = !Computed && alone && most_operands > 1 &&
                                    ((uses_of<Ps> | ...) & may_keep) != 0;
  /// A row may be longer than what is kept.
  static constexpr bool independent = alone && !keeps_two;
  /// What reductions read may all be one operand, or two, which the planner looks at; where none
  /// needs another, a thread would keep too little of several to hide their latency.
  static constexpr bool one_operand =
      Computed || most_operands == 1 || (!independent && (reduced & ~may_keep) == 0);
  /// Programs with effects must not run if there is no element, as full vectors do.
  static constexpr bool possible =
      (Computed || reduced != 0) && one_operand && !(has_effects<decltype(Rs::program)> || ...);
  /// Why not, for explain.
  static constexpr const char* refused = reduced == 0   ? "its reductions read no tensor"
                                         : !one_operand ? "a reduction reads several operands"
                                                        : "a reduction reads elements by index";
  static constexpr bool effects = (has_effects<Ps> || ...);
  static constexpr int slots = Slots;
  /// Whether there is a kernel that keeps two operands: where a reduction reads several, or there
  /// are more reductions of one pattern than softmax or layer norm have of one operand.
  static constexpr bool may_have_two =
      !Computed && !independent && (most_operands > 1 || most_of_one_pattern<Rs...>() > 2);
  /// Vectors of each: 32 words in all, or elements where these are smaller.
  static constexpr int vectors = [] {
    const int elements = 32 / (sizeof(Element) > 4 ? static_cast<int>(sizeof(Element) / 4) : 1);
    return elements > V ? elements / V : 1;
  }();
  /// Leaves that are an operand that is kept, or else the kernel does not serve.
  static constexpr std::uint64_t always_kept = reduced & may_keep;
  using Reused = Reuse<RowProgram<Pack<Rs...>, Pack<Ps...>>>;
  /// The outputs read the value that the last reduction's program left, and no other operand. It
  /// takes registers that two operands leave none of, and may be of one of the two only.
  static constexpr bool reuses = slots == 1 && Reused::possible &&
                                 std::is_same_v<typename Reused::LastProgram::type, float> &&
                                 Reused::beside == 0;
};

/// The layout that the kernel has, and the program that its threads run.
template <class Outs, class Types, int V, class Program>
struct RegisterProgram {
  using Part = weft::detail::KeptPart<Program>;
  template <class P>
  struct Same {
    using type = P;
  };
  template <class P>
  struct Less {
    using type = decltype(weft::detail::KeptPart<P>::without(std::declval<const P&>()));
  };
  using type = typename std::conditional_t<Part::possible, Less<Program>, Same<Program>>::type;
  using Layout = RegisterLayout<Outs, Types, V, type, Part::possible>;
};

}  // namespace weft::on_cuda::detail

#endif
