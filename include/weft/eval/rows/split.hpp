// Statements too large for one kernel: a part of them is evaluated first.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

#include "weft/eval/rows/large.hpp"

namespace weft::detail {

/// The parts of an expression that contain reductions.
struct RowParts {
  static constexpr int most = 256;
  struct Part {
    std::uint64_t number = 0;
    int reductions = 0;
  };
  std::array<Part, most> part{};
  int count = 0;

  template <class E>
  constexpr bool add() {
    if constexpr (is_reduction<E>) return true;
    constexpr int inside = RowLowering<E>::reductions;
    if (inside == 0 || count == most) return false;
    part[count++] = {expression_number<E>, inside};
    return true;
  }
};

/// The number of the part to evaluate before a row program of E: the one that saves the most
/// reductions, or part_before_large. 0: none, or E has few reductions.
template <class E>
inline constexpr std::uint64_t part_before_rows = 0;
template <class E>
  requires(RowLowering<E>::reductions > 12 || has_large_rows<E>)
inline constexpr std::uint64_t part_before_rows<E> = [] {
  RowParts parts;
  CollectParts<E>::run(parts);
  std::uint64_t best = 0;
  int most = 0;
  for (int i = 1; i < parts.count; ++i) {  // the first is the expression itself
    int times = 0;
    for (int j = 0; j < parts.count; ++j) times += parts.part[j].number == parts.part[i].number;
    const int gain = parts.part[i].reductions * (times - 1);
    if (gain > most) {
      most = gain;
      best = parts.part[i].number;
    }
  }
  if constexpr (has_large_rows<E>) {
    if (best == 0) best = part_before_large<E>;
  }
  return best;
}();

/// Whether E is too large for an element-wise loop, and can be split.
template <class E>
inline constexpr bool splits_elements = [] {
  if constexpr (most_kernel_values < operand_count<E>) return part_before_large<E> != 0;
  return false;
}();

/// The number of the part to evaluate before a statement; 0: none.
template <class E>
inline constexpr std::uint64_t part_before = [] {
  constexpr Route route = route_of<E>();
  if constexpr (route == Route::rows) {
    return part_before_rows<E>;
  } else if constexpr (route == Route::elementwise) {
    if constexpr (splits_elements<E>) return part_before_large<E>;
  } else if constexpr (is_reduction<E> && route == Route::reduction) {
    using X = std::remove_cvref_t<decltype(std::declval<const E&>().operand())>;
    if constexpr (splits_elements<X>) return part_before_large<E>;
  }
  return std::uint64_t{0};
}();

/// The value of a part that is evaluated first, in the type that kernels compute in.
template <class Part>
struct PartValue {
  using type = Tensor<compute_t<typename Part::value_type>, typename Part::device_type>;
};
template <class Part>
  requires has_var<Part>
struct PartValue<Part> : Evaluated<Part> {
};

/// The values of parts evaluated before, each distinct one once.
template <class Part>
class PartValues {
 public:
  using Value = typename PartValue<Part>::type;
  Value of(const Part& part) {
    for (int i = 0; i < count_; ++i) {
      if (same_value(*part_[i], part)) return value_[i];
    }
    Value value = evaluated(part);
    if (count_ < most) {
      part_[count_] = &part;
      value_[count_++] = value;
    }
    return value;
  }

 private:
  static Value evaluated(const Part& part) {
    if constexpr (has_var<Part>) {
      return Value(part);
    } else {
      using D = typename Value::device_type;
      return materialize_on<typename Value::value_type, D>(part, D{});
    }
  }

  static constexpr int most = 4;
  const Part* part_[most];
  Value value_[most];
  int count_ = 0;
};

/// The expression with its parts of number N replaced by tensors.
template <std::uint64_t N, class E>
struct WithoutParts {
  using type = E;
  using part = void;
  template <class Values>
  static const E& of(const E& e, Values&) {
    return e;
  }
};
template <class A, class... More>
struct FirstPart {
  using type = A;
};
template <class... More>
  requires(sizeof...(More) > 0)
struct FirstPart<void, More...> : FirstPart<More...> {};

template <std::uint64_t N, class T, class Op, class... Args>
  requires has_numbered_part<N, Map<T, Op, Args...>>
struct WithoutParts<N, Map<T, Op, Args...>> {
  using E = Map<T, Op, Args...>;
  static constexpr bool is_part = expression_number<E> == N;
  template <bool IsPart, class>
  struct Made {
    using type = Map<T, Op, typename WithoutParts<N, Args>::type...>;
    using part = typename FirstPart<typename WithoutParts<N, Args>::part...>::type;
  };
  template <class Any>
  struct Made<true, Any> {
    using type = typename PartValue<E>::type;
    using part = E;
  };
  using type = typename Made<is_part, E>::type;
  using part = typename Made<is_part, E>::part;
  template <class Values>
  static type of(const E& e, Values& values) {
    if constexpr (is_part) {
      return values.of(e);
    } else {
      return with_operands<type>(e, [&]<class X>(const X& x) -> decltype(auto) {
        return WithoutParts<N, X>::of(x, values);
      });
    }
  }
};
template <std::uint64_t N, class R, class E>
  requires has_numbered_part<N, E>
struct WithoutParts<N, Reduce<R, E>> {
  using type = Reduce<R, typename WithoutParts<N, E>::type>;
  using part = typename WithoutParts<N, E>::part;
  template <class Values>
  static type of(const Reduce<R, E>& e, Values& values) {
    return type(e.reducer(),
                typename WithoutParts<N, E>::type(WithoutParts<N, E>::of(e.operand(), values)),
                e.axes());
  }
};
template <std::uint64_t N, class R, class E>
  requires(expression_number<Reduce<R, E>> == N)
struct WithoutParts<N, Reduce<R, E>> {
  using part = Reduce<R, E>;
  using type = typename PartValue<part>::type;
  template <class Values>
  static type of(const part& e, Values& values) {
    return values.of(e);
  }
};

/// Holds an expression with a part of it evaluated.
template <class E, std::uint64_t N = part_before<E>>
struct SplitStatement {
  using Without = WithoutParts<N, E>;
  using Rest = typename Without::type;
  using LoweredRest = Lowered<Rest, route_of<Rest>()>;
  static Rest rest_of(const E& e) {
    PartValues<typename Without::part> values;
    return Without::of(e, values);
  }
  Rest rest;
};

/// A statement that is split, ready to run.
template <class E>
struct LoweredSplit : SplitStatement<E>, SplitStatement<E>::LoweredRest {
  explicit LoweredSplit(const E& whole)
      : SplitStatement<E>{SplitStatement<E>::rest_of(whole)},
        SplitStatement<E>::LoweredRest(SplitStatement<E>::rest) {}
};

/// Several expressions with a part of them evaluated.
template <class... Es>
struct SplitOutputs {
  static constexpr std::uint64_t number = part_before_outputs<Es...>;
  using Part = typename FirstPart<typename WithoutParts<number, Es>::part...>::type;
  using Rest = Pack<typename WithoutParts<number, Es>::type...>;
  static Rest rest_of(const Pack<Es...>& expressions) {
    return rest_of(expressions, std::index_sequence_for<Es...>{});
  }

 private:
  template <std::size_t... I>
  static Rest rest_of(const Pack<Es...>& expressions, std::index_sequence<I...>) {
    PartValues<Part> values;
    return make_pack(
        WithoutParts<number, Es>::of(get<static_cast<int>(I)>(expressions), values)...);
  }
};

template <class E>
  requires(part_before_rows<E> != 0)
struct Lowered<E, Route::rows> : LoweredSplit<E> {
  using LoweredSplit<E>::LoweredSplit;
};
template <class E>
  requires splits_elements<E>
struct Lowered<E, Route::elementwise> : LoweredSplit<E> {
  using LoweredSplit<E>::LoweredSplit;
};
template <class R, class E>
  requires splits_elements<E>
struct Lowered<Reduce<R, E>, Route::reduction> : LoweredSplit<Reduce<R, E>> {
  using LoweredSplit<Reduce<R, E>>::LoweredSplit;
};

}  // namespace weft::detail
