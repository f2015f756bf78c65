// Sharing: which occurrences of a recurring part have the same value, given one run's operands.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/eval/rows/pattern.hpp"

namespace weft::detail {

/// For each pattern, a bit for each occurrence (named by its first operand): whether its value has
/// already been kept, and whether in the second of two slots.
struct SharedValues {
  std::uint64_t hit[3] = {};
  std::uint64_t second[3] = {};
};

/// Follows a thread's evaluation order and decides which occurrences find their value kept. `Row`
/// gives the first operand equal to I and the first reduction equal to R: operand(I), number(R).
template <class Shared, class Row>
class ShareValues {
 public:
  explicit ShareValues(const Row& row) : row_(row) {}

  const SharedValues& values() const { return out_; }
  /// The operands that are read.
  std::uint64_t needed() const { return needed_; }
  /// Whether each pattern had only one value.
  bool is_single() const { return single_; }
  /// Between passes nothing is kept.
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
