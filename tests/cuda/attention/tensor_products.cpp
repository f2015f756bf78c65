#include "weft/cuda/attention/tensor_products.hpp"

#include <set>

#include "test.hpp"

using namespace weft;

namespace {
template <int M, bool Keys>
std::set<int> rows() {
  std::set<int> all;
  for (int i = 0; i < 16 * M; ++i)
    all.insert(weft::cuda::tensor_row<M, Keys>(i % 8, i / 16, i / 8 % 2));
  return all;
}
template <bool Keys>
std::set<int> columns() {
  std::set<int> all;
  for (int i = 0; i < 32; ++i) all.insert(weft::cuda::tensor_column<Keys>(i / 8, i % 8));
  return all;
}
bool is_whole(const std::set<int>& all, std::size_t n) {
  return all.size() == n && *all.begin() == 0 && *all.rbegin() == static_cast<int>(n) - 1;
}
}  // namespace

TEST_CASE("a warp's fragments have each row of its tiles once") {
  CHECK(is_whole(rows<1, false>(), 16));
  CHECK(is_whole(rows<2, false>(), 32));
  CHECK(is_whole(rows<1, true>(), 16));
  CHECK(is_whole(rows<2, true>(), 32));
  CHECK(is_whole(columns<false>(), 32));
  CHECK(is_whole(columns<true>(), 32));
}

TEST_CASE("a thread has neighbouring keys") {
  for (int i = 0; i < 4; ++i) {
    CHECK(weft::cuda::tensor_row<2, true>(5, i / 2, i % 2) == 20 + i);
    CHECK(weft::cuda::tensor_column<true>(2 + i / 2, 2 * 3 + i % 2) == 16 + 12 + i);
  }
}

TEST_CASE("the rows of a fragment lie in different banks") {
  const auto apart = [](auto row) {
    std::set<int> banks;
    for (int i = 0; i < 8; ++i) {
      banks.insert(weft::cuda::tensor_place(row(i)) * weft::cuda::tensor_step<64> % 32);
    }
    return banks.size() == 8;
  };
  for (int j = 0; j < 4; ++j) {
    CHECK(apart([&](int n) { return weft::cuda::tensor_column<false>(j, n); }));
    CHECK(apart([&](int n) { return weft::cuda::tensor_column<true>(j, n); }));
    CHECK(apart([&](int g) { return weft::cuda::tensor_row<2, false>(g, j / 2, j % 2); }));
    CHECK(apart([&](int g) { return weft::cuda::tensor_row<2, true>(g, j / 2, j % 2); }));
    CHECK(apart([&](int g) { return weft::cuda::tensor_row<1, true>(g, 0, j % 2); }));
  }
}

TEST_CASE("what eight threads load of a right factor lies in different banks") {
  const auto apart = [](auto column) {
    std::set<int> banks;
    for (int i = 0; i < 8; ++i) {  // four rows, and of each two times four columns
      const int row = weft::cuda::tensor_place(column(2 * (i % 4)));
      banks.insert((row * weft::cuda::tensor_step<64> + i / 4 * 4) % 32);
    }
    return banks.size() == 8;
  };
  for (int j = 0; j < 8; ++j) {
    CHECK(apart([&](int n) { return weft::cuda::tensor_column<false>(j / 2, n + j % 2); }));
    CHECK(apart([&](int n) { return weft::cuda::tensor_column<true>(j / 2, n + j % 2); }));
  }
}
