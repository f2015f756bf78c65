// Row programs of too many reductions: a part that occurs several times is evaluated before.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

#include "weft/eval/rows/rows.hpp"
#include "weft/eval/rows/sharing.hpp"

namespace weft::detail {

/// A number for an expression's type, by its structure.
template <class E>
inline constexpr std::uint64_t expression_number = type_number<E>();
template <class T, class Op, class... Args>
inline constexpr std::uint64_t expression_number<Map<T, Op, Args...>> = [] {
  std::uint64_t number = mixed(type_number<T>(), type_number<Op>());
  ((number = mixed(number, expression_number<Args>)), ...);
  return number;
}();
template <class R, class E>
inline constexpr std::uint64_t expression_number<Reduce<R, E>> = mixed(type_number<R>(),
                                                                       expression_number<E>);

/// What the parts of an expression with reductions inside are, and how often each occurs.
struct RowParts {
  static constexpr int most = 256;
  struct Part {
    std::uint64_t number = 0;
    int reductions = 0;
    bool is_map = false;
  };
  std::array<Part, most> part{};
  int count = 0;
};
template <class E>
struct CollectRowParts {
  static constexpr void run(RowParts&) {}
};
template <class T, class Op, class... Args>
struct CollectRowParts<Map<T, Op, Args...>> {
  static constexpr void run(RowParts& parts) {
    constexpr int inside = RowLowering<Map<T, Op, Args...>>::reductions;
    if (inside == 0 || parts.count == RowParts::most) return;
    parts.part[parts.count++] = {expression_number<Map<T, Op, Args...>>, inside, true};
    (CollectRowParts<Args>::run(parts), ...);
  }
};
template <class R, class E>
struct CollectRowParts<Reduce<R, E>> {
  static constexpr void run(RowParts& parts) { CollectRowParts<E>::run(parts); }
};

/// The number of the part to evaluate before a row program of E: the one that takes the most
/// reductions away. 0: none, or E has few reductions.
template <class E>
inline constexpr std::uint64_t part_before_rows = [] {
  constexpr int many = 12;
  if (RowLowering<E>::reductions <= many) return std::uint64_t{0};
  RowParts parts;
  CollectRowParts<E>::run(parts);
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
  return best;
}();

/// Whether a part of a row program is evaluated before it.
template <class E>
inline constexpr bool splits_rows = [] {
  if constexpr (route_of<E>() == Route::rows) {
    return part_before_rows<E> != 0;
  } else {
    return false;
  }
}();

/// The values of parts evaluated before, each distinct one once.
template <class Part>
class PartValues {
 public:
  using Value = Tensor<compute_t<typename Part::value_type>, typename Part::device_type>;
  Value of(const Part& part) {
    for (int i = 0; i < count_; ++i) {
      if (same_value(*part_[i], part)) return value_[i];
    }
    using D = typename Value::device_type;
    auto value = materialize_on<typename Value::value_type, D>(part, D{});
    if (count_ < most) {
      part_[count_] = &part;
      value_[count_++] = value;
    }
    return value;
  }

 private:
  static constexpr int most = 4;
  const Part* part_[most];
  Value value_[most];
  int count_ = 0;
};

/// An expression whose parts of number N are tensors.
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
  requires(RowLowering<Map<T, Op, Args...>>::reductions > 0)
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
    using type = Tensor<compute_t<typename E::value_type>, typename E::device_type>;
    using part = E;
  };
  using type = typename Made<is_part, E>::type;
  using part = typename Made<is_part, E>::part;
  template <class Values>
  static type of(const E& e, Values& values) {
    if constexpr (is_part) {
      return values.of(e);
    } else {
      return of(e, values, std::index_sequence_for<Args...>{});
    }
  }

 private:
  template <class Values, std::size_t... I>
  static type of(const E& e, Values& values, std::index_sequence<I...>) {
    return type(e.op(), WithoutParts<N, Args>::of(get<static_cast<int>(I)>(e.args()), values)...);
  }
};
template <std::uint64_t N, class R, class E>
  requires(RowLowering<E>::reductions > 0)
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

/// Holds an expression with its repeated parts evaluated.
template <class E>
struct SplitRows {
  using Without = WithoutParts<part_before_rows<E>, E>;
  using Rest = typename Without::type;
  static Rest rest_of(const E& e) {
    PartValues<typename Without::part> values;
    return Without::of(e, values);
  }
  Rest rest;
};

template <class E>
  requires(part_before_rows<E> != 0)
struct Lowered<E, Route::rows>
    : SplitRows<E>, Lowered<typename SplitRows<E>::Rest, route_of<typename SplitRows<E>::Rest>()> {
  using Rest = typename SplitRows<E>::Rest;
  explicit Lowered(const E& e)
      : SplitRows<E>{SplitRows<E>::rest_of(e)}, Lowered<Rest, route_of<Rest>()>(this->rest) {}
};

}  // namespace weft::detail
