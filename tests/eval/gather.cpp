// SPDX-License-Identifier: Apache-2.0
#include <weft/eval/gather.hpp>

#include <vector>

#include "test.hpp"

using weft::tensor;
using weft::detail::Operand;

TEST_CASE("an operand that is gathered from conflicts wherever it is") {
  const auto x = weft::zeros({4, 6});
  const auto part = x(weft::slice(0, 2), weft::all);
  const auto e = take(part, tensor({1, 0}), weft::axis(0));
  weft::detail::Lowered<std::remove_const_t<decltype(e)>> lowered(e);
  CHECK(lowered.n == 3);
  CHECK(lowered.operands[1].gathered);
  CHECK(lowered.operands[1].storage == x.storage());
  weft::detail::set_target(lowered.operands[0], part);
  CHECK(any_conflict(lowered.operands, lowered.n, true));
  weft::detail::set_target(lowered.operands[0], x(weft::slice(2, 4), weft::all));
  CHECK(!any_conflict(lowered.operands, lowered.n, true));
  weft::detail::set_target(lowered.operands[0], x(weft::slice(1, 3), weft::all).flip(0));
  CHECK(any_conflict(lowered.operands, lowered.n, true));
}

TEST_CASE("programs that gather are known by their type") {
  using weft::Tensor;
  const Tensor<float> x = weft::zeros({3});
  const auto e = take(x, tensor({1})) + 1;
  const auto plain = x + 1;
  using E = std::remove_const_t<decltype(e)>;
  using P = std::remove_const_t<decltype(plain)>;
  CHECK(weft::has_effects<decltype(weft::detail::Lowered<E>::program)>);
  CHECK(!weft::has_effects<decltype(weft::detail::Lowered<P>::program)>);
  CHECK(text(weft::detail::name_of<E>()) == "add(take(float, int), number)");
}

TEST_CASE("a stored gather keeps its tensor and sees what is written to it") {
  auto make = [] {
    const auto x = tensor({1.0F, 2.0F});
    return take(x, tensor({1, 1}));
  };
  CHECK(make().eval().to_vector() == std::vector<float>{2, 2});
  const auto x = tensor({1.0F, 2.0F});
  const auto e = take(x, tensor({1}));
  x += 1;
  CHECK(e.item() == 3);
  weft::detail::check_flag() = true;
  CHECK_SAYS("was written after the expression that reads it was built", e.item());
  weft::detail::check_flag() = false;
}
