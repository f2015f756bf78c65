// Samples and batches: the parts that a data set's samples have, and what they become in a batch.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tuple>

#include "weft/tensor/factory.hpp"

namespace weft::data {

namespace detail {
template <class S>
concept TupleLike = requires {
  std::tuple_size<S>::value;
};

/// Converts to the type of whatever a member of an aggregate has.
struct AnyMember {
  template <class T>
  operator T() const;
};
template <class S, class... Members>
constexpr int member_count() {
  if constexpr (requires { S{Members{}..., AnyMember{}}; }) {
    return member_count<S, Members..., AnyMember>();
  } else {
    return sizeof...(Members);
  }
}

/// An expression's value; all else as it is.
template <class P>
auto settled(const P& part) {
  if constexpr (ExpressionLike<P>) {
    return part.eval();
  } else {
    return part;
  }
}

template <class S>
auto parts(const S& sample) {
  if constexpr (ExpressionLike<S> || Number<S>) {
    return std::make_tuple(settled(sample));
  } else if constexpr (TupleLike<S>) {
    return std::apply([](const auto&... part) { return std::make_tuple(settled(part)...); },
                      sample);
  } else {
    static_assert(std::is_aggregate_v<S> && member_count<S>() >= 1 && member_count<S>() <= 4,
                  "weft: a sample is a tensor, a number, a tuple of these, or a struct of one to "
                  "four of them without a constructor");
    constexpr int count = member_count<S>();
    if constexpr (count == 1) {
      const auto& [a] = sample;
      return std::make_tuple(a);
    } else if constexpr (count == 2) {
      const auto& [a, b] = sample;
      return std::make_tuple(a, b);
    } else if constexpr (count == 3) {
      const auto& [a, b, c] = sample;
      return std::make_tuple(a, b, c);
    } else {
      const auto& [a, b, c, d] = sample;
      return std::make_tuple(a, b, c, d);
    }
  }
}

template <class P>
struct BatchedPart {
  static_assert(Number<P>, "weft: a part of a sample is a number or a Tensor<T, Cpu>");
  using type = Tensor<typename weft::detail::Canonical<P>::type, Cpu>;
};
template <class T>
struct BatchedPart<Tensor<T, Cpu>> {
  using type = Tensor<std::remove_const_t<T>, Cpu>;
};
template <class Parts>
struct Batched;
template <class... Ps>
struct Batched<std::tuple<Ps...>> {
  using type = std::tuple<typename BatchedPart<Ps>::type...>;
};
}  // namespace detail

/// A sample as a tuple of its parts, which are tensors on the CPU and numbers: of a tuple, a pair
/// or an array its elements, of a plain struct its members, else the sample itself.
template <class S>
auto parts(const S& sample) {
  return detail::parts(sample);
}

/// The tuple of tensors that samples of type S become in a batch, one for each part, with a first
/// axis of as many elements as there are samples.
template <class S>
using batch_of = typename detail::Batched<decltype(parts(std::declval<S>()))>::type;

/// Where batches on the CPU get their memory: the CPU's, or page-locked memory.
struct HostMemory {
  Storage* (*allocate)(int64_t bytes) = nullptr;  ///< null for the CPU's own

  /// Uninitialised elements.
  template <class T>
  Tensor<T, Cpu> empty(const Shape& shape) const {
    if (allocate == nullptr) return weft::empty<T>(shape);
    StorageHandle storage(allocate(shape.size() * static_cast<int64_t>(sizeof(T))));
    T* const data = static_cast<T*>(storage->data);
    return weft::detail::Access::make<T, Cpu>(std::move(storage), data, shape,
                                              contiguous_strides(shape));
  }
};

}  // namespace weft::data
