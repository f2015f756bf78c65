// SPDX-License-Identifier: Apache-2.0
#include <weft/eval/program/program.hpp>

#include "test.hpp"

using namespace weft;

namespace {
struct Inputs {
  template <int I>
  WEFT_HD constexpr float get() const {
    return I == 1 ? 3.0F : 5.0F;
  }
};
}  // namespace

TEST_CASE("a program computes from its inputs") {
  using X = Arg<1, weft::half>;
  using Y = Arg<2, float>;
  using Sum = Apply<op::add, X, Y>;
  const Apply<op::mul, Sum, Constant<float>> program{{}, make_pack(Sum{}, Constant<float>{2})};
  static_assert(std::is_trivially_copyable_v<decltype(program)>);
  static_assert(std::is_same_v<X::type, float> && std::is_same_v<decltype(program)::type, float>);
  CHECK(program(Inputs{}) == 16);
  static_assert(std::is_same_v<Arg<1, IndexOperand>::type, long long>);
  static_assert(std::is_same_v<Apply<op::lt, X, Y>::type, bool>);
}

TEST_CASE("a value is rounded at the store") {
  CHECK(store_element<weft::half>(2049.0F) == 2048);
  CHECK(store_element<weft::half>(2051.0F) == 2052);
  CHECK(store_element<bfloat16>(257.0F) == 256);
  CHECK(store_element<float>(0.1F) == 0.1F);
}
