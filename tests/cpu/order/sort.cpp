// SPDX-License-Identifier: Apache-2.0
#include <weft/cpu/order/sort.hpp>

#include <algorithm>

#include "array.hpp"

static_assert(weft::detail::can_sort<weft::Cpu>());

TEST_CASE("merge sort is stable at every length") {
  using Item = weft::cpu::detail::Indexed<int>;
  test::Random r(1);
  for (std::int64_t n = 0; n < 140; ++n) {
    std::vector<Item> items;
    for (std::int64_t i = 0; i < n; ++i) items.push_back({static_cast<int>(r.between(0, 9)), i});
    std::vector<Item> scratch(items.size());
    weft::cpu::detail::merge_sort<true>(items.data(), scratch.data(), n);
    for (std::size_t i = 1; i < items.size(); ++i) {
      CHECK((items[i - 1].value > items[i].value ||
             (items[i - 1].value == items[i].value && items[i - 1].index < items[i].index)));
    }
  }
}

TEST_CASE("where the pieces of a merge begin") {
  using Item = weft::cpu::detail::Indexed<int>;
  const std::vector<Item> a = {{1, 0}, {3, 1}, {3, 2}, {7, 3}};
  const std::vector<Item> b = {{0, 4}, {3, 5}, {8, 6}};
  // 0 1 3 3 | 3 7 8, those of a before their equals in b
  const std::int64_t taken[] = {0, 0, 1, 2, 3, 3, 4, 4};
  for (std::int64_t d = 0; d <= 7; ++d) {
    CHECK(weft::cpu::detail::taken_from_first<false>(a.data(), 4, b.data(), 3, d) == taken[d]);
  }
}

TEST_CASE("many items are merged by several threads, stable") {
  using Item = weft::cpu::detail::Indexed<float>;
  test::Random r(3);
  std::vector<Item> items;
  for (std::int64_t i = 0; i < 40'001; ++i)
    items.push_back({static_cast<float>(r.between(0, 5000)), i});
  items[17].value = items[40'000].value = weft::math::nan<float>;
  std::vector<Item> expected = items;
  std::stable_sort(expected.begin(), expected.end(), [](const Item& a, const Item& b) {
    return weft::cpu::detail::precedes<true>(a.value, b.value);
  });
  std::vector<Item> scratch(items.size());
  weft::cpu::detail::parallel_merge_sort<true>(items.data(), scratch.data(), 40'001);
  bool same = true;
  for (std::size_t i = 0; i < items.size(); ++i) same &= items[i].index == expected[i].index;
  CHECK(same);
}

TEST_CASE("a long row is sorted by several threads, stable and the same") {
  test::Random r(2);
  for (const std::int64_t n : {33'000, 40'001, 65'536, 100'003}) {
    std::vector<float> x;
    for (std::int64_t i = 0; i < n; ++i) x.push_back(static_cast<float>(r.between(0, 5000)));
    x[17] = x[static_cast<std::size_t>(n - 1)] = weft::math::nan<float>;
    const auto t = weft::tensor(x).reshape({1, n});
    for (const bool reverse : {false, true}) {
      CAPTURE(n);
      CAPTURE(reverse);
      const auto values = weft::empty<float>({1, n});
      const auto indices = weft::empty<std::int64_t>({1, n});
      std::vector<std::int64_t> first;
      for (const int threads : {1, 3, 0}) {
        weft::set_num_threads(threads);
        weft::Sorter<weft::Cpu>::sort(t, reverse, n, values, indices);
        if (first.empty()) first = indices.to_vector();
        CHECK(indices.to_vector() == first);
      }
      std::vector<std::int64_t> expected(x.size());
      for (std::size_t i = 0; i < x.size(); ++i) expected[i] = static_cast<std::int64_t>(i);
      std::stable_sort(expected.begin(), expected.end(), [&](std::int64_t i, std::int64_t j) {
        const float a = x[static_cast<std::size_t>(i)];
        const float b = x[static_cast<std::size_t>(j)];
        return reverse ? a > b || (a != a && b == b) : a < b || (b != b && a == a);
      });
      CHECK(first == expected);
      CHECK(values.data()[5] == x[static_cast<std::size_t>(expected[5])]);
    }
  }
}
