// SPDX-License-Identifier: Apache-2.0
#include <weft/ops/random/permutation.hpp>

#include <cstdint>
#include <map>
#include <set>
#include <vector>

#include "test.hpp"

using weft::Draw;
using weft::Generator;

TEST_CASE_TEMPLATE("permutation holds each integer below n once", D, TEST_DEVICES) {
  Generator g(11);
  for (int64_t n : {0, 1, 2, 3, 7, 255, 256, 257, 1000, 65537}) {
    CAPTURE(n);
    const auto p = weft::permutation(n, D{}, g).to_vector();
    REQUIRE(static_cast<int64_t>(p.size()) == n);
    std::vector<bool> seen(p.size());
    int64_t distinct = 0;
    for (int64_t v : p) {
      REQUIRE(v >= 0);
      REQUIRE(v < n);
      distinct += seen[static_cast<std::size_t>(v)] ? 0 : 1;
      seen[static_cast<std::size_t>(v)] = true;
    }
    CHECK(distinct == n);
  }
}

TEST_CASE_TEMPLATE("permutation is the same on every device", D, TEST_DEVICES) {
  Generator here(5);
  Generator there(5);
  for (int64_t n : {5, 300, 100000}) {
    CHECK(weft::permutation(n, weft::Cpu{}, here).to_vector() ==
          weft::permutation(n, D{}, there).to_vector());
  }
}

TEST_CASE_TEMPLATE("shuffled is permutation as an expression", D, TEST_DEVICES) {
  Generator a(5);
  Generator b(5);
  weft::Tensor<int64_t, D> doubled = weft::shuffled(50, a) * 2 + weft::zeros<int64_t>({50}, D{});
  const auto p = weft::permutation(50, D{}, b).to_vector();
  const auto d = doubled.to_vector();
  for (std::size_t i = 0; i < p.size(); ++i) CHECK(d[i] == 2 * p[i]);
}

TEST_CASE("permutations of very many elements") {
  for (int bits : {33, 40, 62}) {
    const int64_t n = (int64_t{1} << bits) + 12345;
    const weft::op::permutation p(n, Draw{1, 2});
    std::set<int64_t> seen;
    for (int64_t i = 0; i < 2000; ++i) {
      for (int64_t at : {i, n / 2 + i, n - 1 - i}) {
        const int64_t v = p.value(at);
        REQUIRE(v >= 0);
        REQUIRE(v < n);
        seen.insert(v);
      }
    }
    CHECK(seen.size() == 6000);
  }
}

TEST_CASE("positions that are not in the permutation come to an end") {
  const weft::op::permutation p(300, Draw{1, 2});
  for (long long i : {-4LL, -1LL, 300LL, 301LL, 511LL, 512LL, INT64_MAX + 0LL})
    CHECK(p.value(i) == 0);
  CHECK(weft::op::permutation(0, Draw{1, 2}).value(0) == 0);
}

TEST_CASE("every order of few elements is as likely") {
  for (int n : {2, 3, 4, 5}) {
    int orders = 1;
    for (int i = 2; i <= n; ++i) orders *= i;
    const int draws = 400 * orders;
    std::map<std::vector<int64_t>, int> counts;
    Generator g(2024);
    for (int i = 0; i < draws; ++i) {
      const weft::op::permutation p(n, g.draw());
      std::vector<int64_t> order;
      for (int j = 0; j < n; ++j) order.push_back(p.value(j));
      ++counts[order];
    }
    REQUIRE(static_cast<int>(counts.size()) == orders);
    double chi2 = 0;
    for (const auto& [order, count] : counts) chi2 += (count - 400.0) * (count - 400.0) / 400;
    CAPTURE(n);
    CHECK(chi2 < orders - 1 + 4 * __builtin_sqrt(2.0 * (orders - 1)));
    CHECK(chi2 > orders - 1 - 4 * __builtin_sqrt(2.0 * (orders - 1)));
  }
}

TEST_CASE("each element is as likely in each place, and pairs are independent") {
  const int n = 10;
  const int draws = 40000;
  std::vector<double> place(n * n);
  std::vector<double> pair(n * n);
  Generator g(77);
  for (int i = 0; i < draws; ++i) {
    const weft::op::permutation p(n, g.draw());
    for (int j = 0; j < n; ++j) place[static_cast<std::size_t>(j * n + p.value(j))] += 1;
    pair[static_cast<std::size_t>(p.value(0) * n + p.value(1))] += 1;
  }
  double chi2 = 0;
  for (double count : place)
    chi2 += (count - draws / 10.0) * (count - draws / 10.0) / (draws / 10.0);
  CHECK(chi2 < 81 + 4 * 12.7);  // (n - 1)^2 degrees of freedom
  chi2 = 0;
  for (int i = 0; i < n * n; ++i) {
    if (i % n == i / n) continue;
    const double difference = pair[static_cast<std::size_t>(i)] - draws / 90.0;
    chi2 += difference * difference / (draws / 90.0);
  }
  CHECK(chi2 < 89 + 4 * 13.3);
}

TEST_CASE("permutation of a negative number of elements") {
  CHECK_SAYS("[permutation] -1 elements, expected at least 0", weft::permutation(-1));
}
