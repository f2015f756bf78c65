// Shape and Strides: up to eight signed 64-bit numbers, stored inline.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <type_traits>

#include "weft/core/error.hpp"

namespace weft {

using std::int64_t;

inline constexpr int max_rank = 8;

namespace detail {
/// A small inline vector of int64, the base of Shape and Strides.
class Int64s {
 public:
  constexpr Int64s() : values_{} {}
  constexpr Int64s(std::initializer_list<int64_t> values) : values_{} {
    for (int64_t v : values) push_back(v);
  }
  // Every operation copies its expression's shapes, most of which have at most two dimensions.
  constexpr Int64s(const Int64s& other) noexcept : rank_(other.rank_) { take(other); }
  constexpr Int64s& operator=(const Int64s& other) noexcept {
    rank_ = other.rank_;
    take(other);
    return *this;
  }

  constexpr int rank() const { return rank_; }
  constexpr int64_t operator[](int i) const { return values_[i]; }
  constexpr int64_t& operator[](int i) { return values_[i]; }
  constexpr const int64_t* begin() const { return values_; }
  constexpr const int64_t* end() const { return values_ + rank_; }
  constexpr int64_t* begin() { return values_; }
  constexpr int64_t* end() { return values_ + rank_; }

  constexpr void push_back(int64_t value) {
    if (rank_ == max_rank) fail<ShapeError>("shape", "more than 8 dimensions");
    if (rank_ == few) clear_rest();
    values_[rank_++] = value;
  }
  constexpr void insert(int at, int64_t value) {
    push_back(0);
    for (int i = rank_ - 1; i > at; --i) values_[i] = values_[i - 1];
    values_[at] = value;
  }
  /// Makes `value` the only element.
  constexpr void become(int64_t value) {
    values_[0] = value;
    rank_ = 1;
  }
  constexpr void erase(int at) {
    for (int i = at; i + 1 < rank_; ++i) values_[i] = values_[i + 1];
    values_[--rank_] = 0;
  }

  friend constexpr bool operator==(const Int64s& a, const Int64s& b) {
    if (a.rank_ != b.rank_) return false;
    for (int i = 0; i < a.rank_; ++i) {
      if (a.values_[i] != b.values_[i]) return false;
    }
    return true;
  }

 private:
  static constexpr int few = 2;
  [[gnu::noinline, gnu::cold]] constexpr void clear_rest() {
    for (int i = few; i < max_rank; ++i) values_[i] = 0;
  }
#if defined(__GNUC__) && !defined(__clang__) && !defined(__NVCC__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"  // g++ 13 does not see what the ranks tell
#endif
  constexpr void take(const Int64s& other) {
    for (int i = 0; i < few; ++i) values_[i] = other.values_[i];
    if (rank_ <= few) return;  // and those behind have no value until there are more
    if (std::is_constant_evaluated()) {
      for (int i = few; i < max_rank; ++i) values_[i] = other.values_[i];
    } else {  // g++ would call memmove, for which what copies tensors had to save its registers
      __builtin_memcpy(values_ + few, other.values_ + few, sizeof(values_) - few * sizeof(int64_t));
    }
  }
#if defined(__GNUC__) && !defined(__clang__) && !defined(__NVCC__)
#pragma GCC diagnostic pop
#endif

  int64_t values_[max_rank];
  int rank_ = 0;
};

WEFT_ONCE inline Text text(const Int64s& values) {
  Text s = "(";
  for (int i = 0; i < values.rank(); ++i) {
    if (i > 0) s += ", ";
    s += text(static_cast<long long>(values[i]));
  }
  s += values.rank() == 1 ? ",)" : ")";
  return s;
}
}  // namespace detail

/// The sizes of a tensor's dimensions, outermost first.
class Shape : public detail::Int64s {
 public:
  using Int64s::Int64s;

  /// The number of elements; throws when it does not fit in 63 bits.
  int64_t size() const {
    int64_t n = 1;
    bool overflow = false;
    for (int64_t d : *this) overflow |= __builtin_mul_overflow(n, d, &n);
    if (overflow) {
      for (int64_t d : *this) {
        if (d == 0) return 0;
      }
      fail<ShapeError>("shape", "the number of elements of ", *this, " does not fit in 63 bits");
    }
    return n;
  }

  /// The sizes of a shape with N dimensions: auto [rows, columns] = shape.sizes<2>().
  template <int N>
  std::array<int64_t, N> sizes() const {
    if (rank() != N) fail<ShapeError>("sizes", "shape ", *this, ", expected ", N, " dimensions");
    std::array<int64_t, N> out;
    for (int i = 0; i < N; ++i) out[static_cast<std::size_t>(i)] = (*this)[i];
    return out;
  }
};

namespace detail {
/// Stands where a shape was to be unpacked.
template <class S>
constexpr std::size_t bindings() {
  static_assert(sizeof(S) == 0,
                "weft: how many axes a shape has is known when the program runs: write auto "
                "[rows, columns] = x.shape<2>()");
  return 0;
}
}  // namespace detail

/// The distances, in elements, between neighbours along each dimension.
class Strides : public detail::Int64s {
 public:
  using Int64s::Int64s;
};

namespace detail {
/// The shape or strides of an object with handles. A moved-from one has one number, like an empty
/// tensor.
template <class Numbers, int64_t Left>
class Held : public Numbers {
 public:
  Held() = default;
  constexpr Held(const Numbers& numbers) noexcept : Numbers(numbers) {}
  constexpr Held(const Held& other) noexcept = default;
  constexpr Held(Held&& other) noexcept : Numbers(other) { other.become(Left); }
  constexpr Held& operator=(const Held& other) noexcept = default;
  constexpr Held& operator=(Held&& other) noexcept {
    const Numbers taken = other;
    other.become(Left);
    Numbers::operator=(taken);  // last, since the other one may be this one
    return *this;
  }
};
using HeldShape = Held<Shape, 0>;
using HeldStrides = Held<Strides, 1>;
}  // namespace detail

/// The strides of a row-major (C order) array without gaps.
WEFT_OUTLINED constexpr Strides contiguous_strides(const Shape& shape) {
  Strides strides;
  static_cast<detail::Int64s&>(strides) = shape;
  int64_t step = 1;
  for (int i = shape.rank() - 1; i >= 0; --i) {
    strides[i] = step;
    if (__builtin_mul_overflow(step, shape[i] > 0 ? shape[i] : 1, &step)) step = 0;
  }
  return strides;
}

/// `axis` counted from the front; throws unless -rank <= axis < rank.
inline int normalize_axis(const char* operation, int64_t axis, int rank) {
  if (axis < -rank || axis >= rank) {
    fail<IndexError>(operation, "axis ", axis, " of a tensor of rank ", rank, ", expected ", -rank,
                     " to ", rank - 1);
  }
  return static_cast<int>(axis < 0 ? axis + rank : axis);
}

}  // namespace weft

/// No structured bindings: says what to write instead.
template <class S>
  requires std::is_same_v<S, weft::Shape>
struct std::tuple_size<S> {
  static constexpr std::size_t value = weft::detail::bindings<S>();
};
template <class S>
  requires std::is_same_v<S, const weft::Shape>
struct std::tuple_size<S> {
  static constexpr std::size_t value = weft::detail::bindings<S>();
};
