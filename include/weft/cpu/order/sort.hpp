// The CPU's sorting of rows, stable: by digits where long, else by merging; and the first few.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/cpu/memory.hpp"
#include "weft/cpu/order/radix.hpp"
#include "weft/cpu/parallel.hpp"
#include "weft/ops/order/sort.hpp"

namespace weft {

namespace cpu::detail {
template <class T>
struct Indexed {
  T value;
  int64_t index;
};

/// True when a must come before b, with NaN the largest; never for equal elements.
template <bool Descending, class T>
bool precedes(T a, T b) {
  const auto x = load_element(a);
  const auto y = load_element(b);
  if constexpr (Descending) {
    return x > y || (x != x && y == y);
  } else {
    return x < y || (y != y && x == x);
  }
}

/// Sorts n elements, keeping the order of equal ones; `room` has space for n more.
template <bool Descending, class Item>
void merge_sort(Item* items, Item* scratch, int64_t n) {
  constexpr int64_t run = 16;
  for (int64_t start = 0; start < n; start += run) {
    const int64_t end = start + run < n ? start + run : n;
    for (int64_t i = start + 1; i < end; ++i) {
      const Item item = items[i];
      int64_t j = i;
      for (; j > start && precedes<Descending>(item.value, items[j - 1].value); --j) {
        items[j] = items[j - 1];
      }
      items[j] = item;
    }
  }
  Item* from = items;
  Item* to = scratch;
  for (int64_t width = run; width < n; width *= 2) {
    for (int64_t start = 0; start < n; start += 2 * width) {
      const int64_t middle = start + width < n ? start + width : n;
      const int64_t end = start + 2 * width < n ? start + 2 * width : n;
      int64_t a = start;
      int64_t b = middle;
      for (int64_t k = start; k < end; ++k) {
        const bool second =
            b < end && (a == middle || precedes<Descending>(from[b].value, from[a].value));
        to[k] = from[second ? b++ : a++];
      }
    }
    Item* const other = from;
    from = to;
    to = other;
  }
  if (from != items) {
    for (int64_t i = 0; i < n; ++i) items[i] = from[i];
  }
}

/// How many of the first d items of the stable merge of a[0..na) and b[0..nb) come from a.
template <bool Descending, class Item>
int64_t taken_from_first(const Item* a, int64_t na, const Item* b, int64_t nb, int64_t d) {
  int64_t low = d > nb ? d - nb : 0;
  int64_t high = d < na ? d : na;
  while (low < high) {
    const int64_t middle = low + (high - low) / 2;
    if (precedes<Descending>(b[d - middle - 1].value, a[middle].value)) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return low;
}

/// merge_sort for many items by several threads: pieces are sorted, and each merge is cut into
/// pieces of its result (Odeh et al. 2012, "Merge path").
template <bool Descending, class Item>
void parallel_merge_sort(Item* items, Item* scratch, int64_t n) {
  constexpr int64_t pieces = 16;
  const int64_t size = (n + pieces - 1) / pieces;
  const auto end_of = [n](int64_t at) { return at < n ? at : n; };
  parallel(pieces, n, [&](int64_t first, int64_t last) {
    for (int64_t k = first; k < last; ++k) {
      const int64_t start = end_of(k * size);
      merge_sort<Descending>(items + start, scratch + start, end_of(start + size) - start);
    }
  });
  Item* from = items;
  Item* to = scratch;
  for (int64_t width = size; width < n; width *= 2) {
    parallel(pieces, n, [&](int64_t first, int64_t last) {
      for (int64_t k = first; k < last; ++k) {
        const int64_t at = end_of(k * size);
        const int64_t start = at / (2 * width) * (2 * width);
        const Item* const a = from + start;
        const Item* const b = from + end_of(start + width);
        const int64_t na = end_of(start + width) - start;
        const int64_t nb = end_of(start + 2 * width) - end_of(start + width);
        int64_t i = taken_from_first<Descending>(a, na, b, nb, at - start);
        int64_t j = at - start - i;
        for (int64_t out = at; out < end_of(at + size); ++out) {
          const bool second = j < nb && (i == na || precedes<Descending>(b[j].value, a[i].value));
          to[out] = second ? b[j++] : a[i++];
        }
      }
    });
    Item* const other = from;
    from = to;
    to = other;
  }
  if (from != items) {
    for (int64_t i = 0; i < n; ++i) items[i] = from[i];
  }
}

/// The first k of each row of n by their digits.
template <bool Descending, class T>
void radix_sort_rows(const Tensor<T, Cpu>& rows, int64_t k, const Tensor<T, Cpu>& values,
                     const Tensor<int64_t, Cpu>& indices) {
  const int64_t n = rows.size(1);
  // Pieces are counted once more in each pass: two threads gain nothing by that.
  const bool shared = rows.size(0) < 8 && threads_for(n, n) > 2;
  const auto sort_rows = [&](int64_t first, int64_t last) {
    RadixSort<T> radix(n, shared);
    for (int64_t row = first; row < last; ++row) {
      const T* const x = rows.data() + row * n;
      const Keyed<T>* const items = radix.template sort<Descending>(x);
      const auto write = [&](int64_t start, int64_t end) {
        for (int64_t i = start; i < end; ++i) {
          if (values.data() != nullptr)
            values.data()[row * k + i] = radix_value<Descending>(items[i], x);
          if (indices.data() != nullptr) indices.data()[row * k + i] = items[i].index;
        }
      };
      shared ? parallel(k, k, write) : write(0, k);
    }
  };
  shared ? sort_rows(0, rows.size(0)) : parallel(rows.size(0), rows.size(), sort_rows);
}

/// The first k of n elements in order at `items`, which has space for twice `most` of them.
template <bool Descending, class T>
void first_items(const T* x, int64_t n, int64_t k, Indexed<T>* items, int64_t most) {
  int64_t held = 0;
  bool full = false;
  for (int64_t i = 0; i < n; ++i) {
    if (full && !precedes<Descending>(x[i], items[k - 1].value)) continue;
    items[held++] = {x[i], i};
    if (held < most) continue;
    merge_sort<Descending>(items, items + most, held);
    held = k;
    full = true;
  }
  merge_sort<Descending>(items, items + most, held);
}
}  // namespace cpu::detail

template <>
struct Sorter<Cpu> {
  /// The first k in order of each row into `values` and `indices`.
  template <class T>
  static void sort(const Tensor<T, Cpu>& rows, bool reverse, int64_t k,
                   const Tensor<T, Cpu>& values, const Tensor<int64_t, Cpu>& indices) {
    const int64_t n = rows.size(1);
    if constexpr (cpu::RadixSortable<T>) {
      if (n >= cpu::radix_length(sizeof(T)) && n < int64_t{1} << 32) {
        return reverse ? cpu::detail::radix_sort_rows<true>(rows, k, values, indices)
                       : cpu::detail::radix_sort_rows<false>(rows, k, values, indices);
      }
    }
    using Item = cpu::detail::Indexed<T>;
    const bool shared = rows.size(0) < 8 && n >= cpu::parallel_threshold;  // each row, by all
    const auto sort_rows = [&](int64_t first, int64_t last) {
      std::vector<Item> items(static_cast<std::size_t>(2 * n));
      Item* const scratch = items.data() + n;
      for (int64_t row = first; row < last; ++row) {
        for (int64_t i = 0; i < n; ++i)
          items[static_cast<std::size_t>(i)] = {rows.data()[row * n + i], i};
        if (shared) {
          reverse ? cpu::detail::parallel_merge_sort<true>(items.data(), scratch, n)
                  : cpu::detail::parallel_merge_sort<false>(items.data(), scratch, n);
        } else {
          reverse ? cpu::detail::merge_sort<true>(items.data(), scratch, n)
                  : cpu::detail::merge_sort<false>(items.data(), scratch, n);
        }
        for (int64_t i = 0; i < k; ++i) {
          const Item& item = items[static_cast<std::size_t>(i)];
          if (values.data() != nullptr) values.data()[row * k + i] = item.value;
          if (indices.data() != nullptr) indices.data()[row * k + i] = item.index;
        }
      }
    };
    if (shared) {
      sort_rows(0, rows.size(0));
    } else {
      cpu::parallel(rows.size(0), rows.size(), sort_rows);
    }
  }

  /// The same; for small k, only elements that are not behind k others are sorted.
  template <class T>
  static void topk(const Tensor<T, Cpu>& rows, bool reverse, int64_t k,
                   const Tensor<T, Cpu>& values, const Tensor<int64_t, Cpu>& indices) {
    const int64_t n = rows.size(1);
    const int64_t most = 2 * k + 64;
    if (most > n / 2) return sort(rows, reverse, k, values, indices);
    cpu::parallel(rows.size(0), rows.size(), [&](int64_t first, int64_t last) {
      using Item = cpu::detail::Indexed<T>;
      std::vector<Item> items(static_cast<std::size_t>(2 * most));
      for (int64_t row = first; row < last; ++row) {
        reverse ? cpu::detail::first_items<true>(rows.data() + row * n, n, k, items.data(), most)
                : cpu::detail::first_items<false>(rows.data() + row * n, n, k, items.data(), most);
        for (int64_t i = 0; i < k; ++i) {
          const Item& item = items[static_cast<std::size_t>(i)];
          if (values.data() != nullptr) values.data()[row * k + i] = item.value;
          if (indices.data() != nullptr) indices.data()[row * k + i] = item.index;
        }
      }
    });
  }
};

WEFT_MODEL(SortingDevice<Cpu>);

}  // namespace weft
