// SPDX-License-Identifier: Apache-2.0
#include <weft/eval/program/lower.hpp>

#include "array.hpp"

using weft::detail::Lowering;
using weft::detail::operand_count;
using weft::detail::TypeList;

TEST_CASE("an expression becomes operands in the order they are read") {
  const auto x = weft::ones({2, 3});
  const auto y = weft::ones<std::int32_t>({3});
  const auto e = where(y > 2, x * 2, x - 1);
  using E = std::remove_const_t<decltype(e)>;
  static_assert(std::is_same_v<Lowering<E>::types, TypeList<std::int32_t, float, float>>);
  static_assert(operand_count<E> == 3);
  weft::detail::Operand operands[4];
  Lowering<E>::lower<1>(e, operands);
  CHECK(operands[1].storage == y.storage());
  CHECK(operands[1].rank == 1);
  CHECK(operands[2].storage == x.storage());
  CHECK(operands[3].stride[0] == 3);
  CHECK(operands[3].itemsize == 4);
}

TEST_CASE("an inner reduction is evaluated, and kept in its accumulation type") {
  const auto x = weft::full<weft::half>({300}, 300);
  const auto e = weft::detail::node(sum(x) / 300);
  using E = std::remove_const_t<decltype(e)>;
  static_assert(std::is_same_v<Lowering<E>::types, TypeList<float>>);
  weft::detail::Operand operands[2];
  Lowering<E>::lower<1>(e, operands);
  CHECK(*reinterpret_cast<float*>(operands[1].data) == 90000);
  CHECK(operands[1].keep.owners() == 1);
}

TEST_CASE_TEMPLATE("reductions in reductions", D, TEST_DEVICES) {
  test::Random r(1);
  const auto a = r.array<float>({5, 7});
  const auto x = a.on(D{});
  const auto e =
      max(x * sum(x, weft::axis(1), weft::keepdims), weft::axis(0)) - sum(max(x, weft::axis(0)));
  std::vector<float> expected;
  float total = 0;
  for (std::int64_t j = 0; j < 7; ++j) {
    float best = 0;
    float largest = 0;
    for (std::int64_t i = 0; i < 5; ++i) {
      float row = 0;
      for (std::int64_t k = 0; k < 7; ++k) row += a.at({i, k});
      best = std::max(best, a.at({i, j}) * row);
      largest = std::max(largest, a.at({i, j}));
    }
    expected.push_back(best);
    total += largest;
  }
  for (float& v : expected) v -= total;
  CHECK(e.eval().to_vector() == expected);
}

TEST_CASE_TEMPLATE("a split reduction of half does not overflow", D, TEST_DEVICES) {
  const auto x = weft::full<weft::half>({2, 1000}, 200, D{});
  const auto y = (sum(x, weft::axis(1)) / 1000).eval();
  CHECK(y.to_vector() == std::vector<weft::half>(2, weft::half(200)));
  CHECK(std::isinf(sum(x).item()));
}
