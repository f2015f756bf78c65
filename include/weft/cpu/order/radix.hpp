// Radix sort for long rows: elements as integers of the same order, sorted digit by digit.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>
#include <vector>

#include "weft/core/dtype.hpp"
#include "weft/core/word.hpp"
#include "weft/cpu/memory.hpp"
#include "weft/cpu/parallel.hpp"

namespace weft::cpu {

/// Types whose order is that of integers of as many bits.
template <class T>
concept RadixSortable = is_bool<T> || is_integer<T> || is_half<T> || std::is_floating_point_v<T>;

namespace detail {
/// What a radix sort moves: the key, and where the element was.
template <class T>
struct Keyed {
  weft::detail::word_t<sizeof(T)> key;
  std::uint32_t index;
};
}  // namespace detail

/// An integer for each element, in the order that sorts have: equal for both zeros and for all
/// NaNs, which are the largest; complemented for descending order.
template <bool Descending, RadixSortable T>
auto radix_key(T x) {
  using Key = weft::detail::word_t<sizeof(T)>;
  constexpr Key top = static_cast<Key>(Key{1} << (8 * sizeof(T) - 1));
  auto key = __builtin_bit_cast(Key, x);
  if constexpr (is_floating<T>) {
    constexpr Key infinity = __builtin_bit_cast(Key, std::numeric_limits<T>::infinity());
    const Key size = static_cast<Key>(key & ~top);
    const Key ordered = static_cast<Key>(key == size ? size | top : ~key);
    key = size > infinity ? static_cast<Key>(~Key{0}) : size == 0 ? top : ordered;
  } else if constexpr (std::is_signed_v<T>) {
    key = static_cast<Key>(key ^ top);
  }
  return Descending ? static_cast<Key>(~key) : key;
}

namespace detail {
/// The element of a row x that an item stands for, from its key, or, as a zero or NaN, from memory.
template <bool Descending, class T>
T radix_value(const Keyed<T>& item, const T* x) {
  using Key = weft::detail::word_t<sizeof(T)>;
  constexpr Key top = static_cast<Key>(Key{1} << (8 * sizeof(T) - 1));
  Key key = Descending ? static_cast<Key>(~item.key) : item.key;
  if constexpr (is_bool<T>) {
    return key != 0;
  } else if constexpr (is_floating<T>) {
    if (key == top || key == static_cast<Key>(~Key{0})) return x[item.index];
    key = (key & top) != 0 ? static_cast<Key>(key ^ top) : static_cast<Key>(~key);
  } else if constexpr (std::is_signed_v<T>) {
    key = static_cast<Key>(key ^ top);
  }
  return __builtin_bit_cast(T, key);
}
}  // namespace detail

/// From this many elements of `bytes` bytes on a row is sorted faster by its digits than by
/// merging.
constexpr int64_t radix_length(int64_t bytes) { return 32 * bytes; }

/// Sorts one row, stably, into memory of its own.
template <RadixSortable T>
class RadixSort {
 public:
  using Item = detail::Keyed<T>;
  static constexpr int digits = static_cast<int>(sizeof(T));  // of 8 bits

  /// For rows of n elements, fewer than 2^32; `shared` by all threads, if the caller is no loop's.
  RadixSort(int64_t n, bool shared)
      : n_(n),
        pieces_(shared ? most_pieces : 1),
        memory_(Memory<Cpu>::allocate(Cpu{}, 2 * n * static_cast<int64_t>(sizeof(Item)))),
        counts_(static_cast<std::size_t>(pieces_ * digits)) {}

  /// The row's items in order, until the next call.
  template <bool Descending>
  const Item* sort(const T* x) {
    each_piece([&](int64_t piece, int64_t first, int64_t last) {
      Counts* const counts = &counts_[static_cast<std::size_t>(piece * digits)];
      for (int d = 0; d < digits; ++d) counts[d] = {};
      for (int64_t i = first; i < last; ++i) {
        const auto key = radix_key<Descending>(x[i]);
        for (int d = 0; d < digits; ++d) ++counts[d].of[digit(key, d)];
      }
    });
    auto* to = static_cast<Item*>(memory_->data);
    const Item* from = nullptr;
    for (int d = 0; d < digits; ++d) {
      if (is_constant(d, digit(radix_key<Descending>(x[0]), d)) &&
          (from != nullptr || d + 1 < digits))
        continue;
      const auto pass = [&](const auto& item_at) {
        if (pieces_ > 1 && from != nullptr) {
          each_piece([&](int64_t piece, int64_t first, int64_t last) {
            Counts& counts = counts_[static_cast<std::size_t>(piece * digits + d)];
            counts = {};
            for (int64_t i = first; i < last; ++i) ++counts.of[digit(from[i].key, d)];
          });
        }
        place(d);
        each_piece([&](int64_t piece, int64_t first, int64_t last) {
          std::uint32_t* const next = counts_[static_cast<std::size_t>(piece * digits + d)].of;
          for (int64_t i = first; i < last; ++i) {
            const Item item = item_at(i);
            to[next[digit(item.key, d)]++] = item;
          }
        });
      };
      if (from == nullptr) {
        pass([x](int64_t i) {
          return Item{radix_key<Descending>(x[i]), static_cast<std::uint32_t>(i)};
        });
      } else {
        pass([from](int64_t i) { return from[i]; });
      }
      from = to;
      to = static_cast<Item*>(memory_->data) + (to == memory_->data ? n_ : 0);
    }
    return from;
  }

 private:
  static constexpr int64_t most_pieces = 16;
  struct Counts {
    std::uint32_t of[256];
  };

  static std::size_t digit(weft::detail::word_t<sizeof(T)> key, int d) {
    return static_cast<std::size_t>(key >> (8 * d) & 0xFF);
  }

  template <class F>
  void each_piece(const F& f) {
    if (pieces_ == 1) return f(0, 0, n_);
    const int64_t size = (n_ + pieces_ - 1) / pieces_;
    parallel(pieces_, n_, [&](int64_t first, int64_t last) {
      for (int64_t k = first; k < last; ++k) {
        const int64_t start = k * size < n_ ? k * size : n_;
        f(k, start, start + size < n_ ? start + size : n_);
      }
    });
  }

  /// Whether all elements have this digit.
  bool is_constant(int d, std::size_t value) const {
    int64_t count = 0;
    for (int64_t k = 0; k < pieces_; ++k)
      count += counts_[static_cast<std::size_t>(k * digits + d)].of[value];
    return count == n_;
  }

  /// Counts become places: of smaller digits first, then of earlier pieces.
  void place(int d) {
    std::uint32_t next = 0;
    for (int value = 0; value < 256; ++value) {
      for (int64_t k = 0; k < pieces_; ++k) {
        std::uint32_t& count = counts_[static_cast<std::size_t>(k * digits + d)].of[value];
        const std::uint32_t start = next;
        next += count;
        count = start;
      }
    }
  }

  int64_t n_;
  int64_t pieces_;
  StorageHandle memory_;
  std::vector<Counts> counts_;
};

}  // namespace weft::cpu
