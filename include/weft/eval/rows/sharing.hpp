// Which parts of a row program occur several times, by type, and which occurrences have one value.
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Long because the tables of what is shared and what evaluates by them are one algorithm.

#include <cstdint>

#include "weft/eval/rows/program.hpp"
#include "weft/ops/elementwise/binary.hpp"
#include "weft/ops/elementwise/compare.hpp"
#include "weft/ops/elementwise/ternary.hpp"
#include "weft/ops/elementwise/unary.hpp"

namespace weft::detail {

/// A number for a type by its name, the same wherever it is named in one translation. Lambdas of
/// one signature share theirs: only a run tells them apart, by `type_tag`.
template <class T>
inline constexpr char type_tag = 0;
template <class T>
constexpr std::uint64_t type_number() {
  std::uint64_t hash = 0xCBF29CE484222325U;  // FNV-1a
  for (const char* c = __PRETTY_FUNCTION__; *c != 0; ++c) {
    hash = (hash ^ static_cast<unsigned char>(*c)) * 0x100000001B3U;
  }
  return hash;
}
constexpr std::uint64_t mixed(std::uint64_t a, std::uint64_t b) {
  const std::uint64_t x =
      (a ^ (b + 0x9E3779B97F4A7C15U + (a << 6U) + (a >> 2U))) * 0xFF51AFD7ED558CCDU;
  return x ^ (x >> 33U);
}

/// A number for what a program computes, whichever its operands are: programs that may have the
/// same value have the same number. What reads no operand is one value for a row, whatever it is.
template <class P>
inline constexpr std::uint64_t pattern_number = mixed(1, type_number<typename P::type>());
template <int I, class T>
inline constexpr std::uint64_t pattern_number<Arg<I, T>> = mixed(2, type_number<T>());
template <class Op, class... Ps>
inline constexpr std::uint64_t pattern_number<Apply<Op, Ps...>> = [] {
  using P = Apply<Op, Ps...>;
  if (uses_of<P> == 0) return mixed(1, type_number<typename P::type>());
  std::uint64_t number = type_number<Op>();
  ((number = mixed(number, pattern_number<Ps>)), ...);
  return number;
}();

/// Whether two reductions may have the same value.
template <class A, class B>
inline constexpr bool may_be_equal = false;
template <class R, class P, class Q, class Value>
inline constexpr bool may_be_equal<RowReduction<R, P, Value>, RowReduction<R, Q, Value>> =
    pattern_number<P> == pattern_number<Q>;

/// About how many instructions of a GPU an operation takes, in eights where it takes many.
template <class Op>
inline constexpr int op_weight = 8;
template <class... Ops>
struct LightOps {
  template <class Op>
  static constexpr bool has = (std::is_same_v<Op, Ops> || ...);
};
using Light =
    LightOps<op::add, op::sub, op::mul, op::neg, op::abs, op::square, op::maximum, op::minimum,
             op::clamp_min, op::clamp_max, op::clamp, op::where, op::fma, op::eq, op::ne, op::lt,
             op::le, op::gt, op::ge, op::logical_and, op::logical_or, op::logical_not>;
template <class Op>
  requires(Light::has<Op>)
inline constexpr int op_weight<Op> = 1;
template <class To>
inline constexpr int op_weight<op::cast<To>> = 1;

template <class P>
inline constexpr int program_weight = 0;
template <int I, class T>
inline constexpr int program_weight<Arg<I, T>> = 3;  // to load it
template <class Op, class... Ps>
inline constexpr int program_weight<Apply<Op, Ps...>> = uses_of<Apply<Op, Ps...>> == 0
                                                            ? 0
                                                            : op_weight<Op> +
                                                                  (program_weight<Ps> + ... + 0);

/// Whether a program needs a reduction's value.
template <class P>
inline constexpr bool reads_reductions = false;
template <int I, class T>
inline constexpr bool reads_reductions<Reduced<I, T>> = true;
template <class Op, class... Ps>
inline constexpr bool reads_reductions<Apply<Op, Ps...>> = (reads_reductions<Ps> || ...);

/// The nodes of a program that may be shared.
template <class P>
inline constexpr int pattern_count = 0;
template <class Op, class... Ps>
inline constexpr int pattern_count<Apply<Op, Ps...>> = uses_of<Apply<Op, Ps...>> == 0
                                                           ? 0
                                                           : 1 + (pattern_count<Ps> + ... + 0);

struct PatternNode {
  std::uint64_t number = 0;
  int weight = 0;
  int parent = -1;
  bool may_be_kept = false;
  bool reads_reductions = false;
  int operands = 0;
};
template <class P>
struct CollectPatterns {
  static constexpr void run(PatternNode*, int&, int) {}
};
template <class Op, class... Ps>
struct CollectPatterns<Apply<Op, Ps...>> {
  static constexpr void run(PatternNode* nodes, int& n, int parent) {
    using P = Apply<Op, Ps...>;
    if (uses_of<P> == 0) return;
    const int me = n++;
    [[maybe_unused]] constexpr bool kept =
        std::is_same_v<typename P::type, float> && !has_effects<P> && sizeof...(Ps) <= 3;
    nodes[me] = {pattern_number<P>,
                 program_weight<P>,
                 parent,
                 kept,
                 reads_reductions<P>,
                 __builtin_popcountll(uses_of<P>)};
    (CollectPatterns<Ps>::run(nodes, n, me), ...);
  }
};

/// The patterns of a row program whose values a thread keeps for their next occurrence: those that
/// occur several times, cost several operations and are no part of a larger one each time.
template <class Program, int LeastWeight>
struct SharedPatterns;
template <class... Rs, class... Ps, int LeastWeight>
struct SharedPatterns<RowProgram<Pack<Rs...>, Pack<Ps...>>, LeastWeight> {
  static constexpr int most = 3;
  struct Table {
    std::uint64_t number[most] = {};
    int count = 0;
    int slots = 1;  // values of each that are kept
  };
  static constexpr Table table = [] {
    constexpr int all =
        (pattern_count<decltype(Rs::program)> + ... + 0) + (pattern_count<Ps> + ... + 0);
    PatternNode nodes[all + 1];
    int n = 0;
    (CollectPatterns<decltype(Rs::program)>::run(nodes, n, -1), ...);
    (CollectPatterns<Ps>::run(nodes, n, -1), ...);
    int times[all + 1] = {};
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j < n; ++j) times[i] += nodes[i].number == nodes[j].number;
    }
    Table out;
    while (out.count < most) {
      int best = -1;
      for (int i = 0; i < n; ++i) {
        const PatternNode& node = nodes[i];
        const bool outermost = node.parent < 0 || times[node.parent] < times[i];
        if (!node.may_be_kept || times[i] < 2 || node.weight < LeastWeight || !outermost) continue;
        bool known = false;
        for (int k = 0; k < out.count; ++k) known = known || out.number[k] == node.number;
        if (known) continue;
        const auto gain = [&](int x) { return nodes[x].weight * (times[x] - 1); };
        if (best < 0 || gain(i) > gain(best)) best = i;
      }
      if (best < 0) break;
      out.number[out.count++] = nodes[best].number;
      if (times[best] > 6) out.slots = 2;
    }
    return out;
  }();
};

/// Which of the shared patterns a program is; -1: none.
template <class Shared, class P>
inline constexpr int shared_pattern = -1;
template <class Shared, class Op, class... Ps>
inline constexpr int shared_pattern<Shared, Apply<Op, Ps...>> = [] {
  for (int k = 0; k < Shared::table.count; ++k) {
    if (pattern_number<Apply<Op, Ps...>> == Shared::table.number[k]) return k;
  }
  return -1;
}();
/// Whether a program or a part of it is one of the shared patterns.
template <class Shared, class P>
inline constexpr bool has_shared = false;
template <class Shared, class Op, class... Ps>
inline constexpr bool has_shared<Shared, Apply<Op, Ps...>> =
    sizeof...(Ps) <= 3 &&
    (shared_pattern<Shared, Apply<Op, Ps...>> >= 0 || (has_shared<Shared, Ps> || ...));

/// For each pattern, a bit for each occurrence, which is named by its first operand: whether its
/// value is kept already, and in the second of the two places.
struct SharedValues {
  std::uint64_t hit[3] = {};
  std::uint64_t second[3] = {};
};

/// Goes through programs in the order in which a thread computes them, and decides what it finds
/// kept. `Row` says which operand is the first of those that are the same, and which reduction:
/// operand(I), number(R).
template <class Shared, class Row>
class ShareValues {
 public:
  explicit ShareValues(const Row& row) : row_(row) {}

  const SharedValues& values() const { return out_; }
  /// The operands that are read.
  std::uint64_t needed() const { return needed_; }
  /// Whether each pattern had one value.
  bool is_single() const { return single_; }
  /// What is kept is lost.
  void forget() {
    for (auto& pattern : kept_) {
      for (Kept& k : pattern) k = {};
    }
  }

  template <class P>
  void run(const P& program) {
    if constexpr (!has_shared<Shared, P>) {
      needed_ |= uses_of<P>;
    } else {
      run_apply(program);
    }
  }
  template <class... Ps>
  void run_all(const Pack<Ps...>& programs) {
    if constexpr (sizeof...(Ps) > 0) {
      run(programs.head);
      run_all(programs.tail);
    }
  }

 private:
  struct Kept {
    std::uint64_t signature = 0;
    int time = -1;
  };
  template <class P>
  void run_apply(const P& program) {
    constexpr int k = shared_pattern<Shared, P>;
    if constexpr (k >= 0) {
      const std::uint64_t signature = signature_of(program);
      const std::uint64_t bit = uses_of<P> & (~uses_of<P> + 1);
      for (int s = 0; s < Shared::table.slots; ++s) {
        if (kept_[k][s].time < 0 || kept_[k][s].signature != signature) continue;
        out_.hit[k] |= bit;
        if (s == 1) out_.second[k] |= bit;
        kept_[k][s].time = ++time_;
        return;
      }
      single_ = single_ && kept_[k][0].time < 0;
      run_all(program.programs);
      const int s = Shared::table.slots > 1 && kept_[k][1].time < kept_[k][0].time ? 1 : 0;
      kept_[k][s] = {signature, ++time_};
      if (s == 1) out_.second[k] |= bit;
    } else {
      run_all(program.programs);
    }
  }

  template <int I, class T>
  std::uint64_t signature_of(const Arg<I, T>&) const {
    return mixed(3, static_cast<std::uint64_t>(row_.operand(I)));
  }
  template <int R, class T>
  std::uint64_t signature_of(const Reduced<R, T>&) const {
    return mixed(5, static_cast<std::uint64_t>(row_.number(R)));
  }
  template <class T>
  std::uint64_t signature_of(const Constant<T>& constant) const {
    return bytes_of(constant.value);
  }
  template <class Op, class... Ps>
  std::uint64_t signature_of(const Apply<Op, Ps...>& program) const {
    const auto type = reinterpret_cast<std::uintptr_t>(&type_tag<Op>);
    return mixed(mixed(type, bytes_of(program.op)), signature_of(program.programs));
  }
  template <class... Ps>
  std::uint64_t signature_of(const Pack<Ps...>& programs) const {
    if constexpr (sizeof...(Ps) == 0) {
      return 7;
    } else {
      return mixed(signature_of(programs.head), signature_of(programs.tail));
    }
  }
  template <class T>
  static std::uint64_t bytes_of(const T& value) {
    std::uint64_t hash = 11;
    if constexpr (!std::is_empty_v<T>) {
      const auto* bytes = reinterpret_cast<const unsigned char*>(&value);
      for (std::size_t i = 0; i < sizeof(T); ++i) hash = mixed(hash, bytes[i]);
    }
    return hash;
  }

  const Row& row_;
  SharedValues out_;
  std::uint64_t needed_ = 0;
  bool single_ = true;
  int time_ = 0;
  Kept kept_[3][2];
};

}  // namespace weft::detail
