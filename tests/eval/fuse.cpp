#include "weft/eval/fuse.hpp"

#include "test.hpp"

using weft::all;
using weft::Cpu;
using weft::slice;
using weft::Tensor;

namespace {

unsigned apart(const Tensor<float>& a, const Tensor<float>& b, const Tensor<float>& read) {
  weft::detail::Operand operands[3];
  weft::detail::set_target(operands[0], a);
  weft::detail::set_target(operands[1], b);
  weft::detail::set_target(operands[2], read);
  return weft::detail::conflicting_targets(operands, 3, 2);
}

}  // namespace

TEST_CASE("a target needs a temporary where an expression reads it at other places") {
  const auto x = weft::zeros({4, 4});
  const auto y = weft::zeros({4, 4});
  const auto z = weft::zeros({4, 4});
  CHECK(apart(x, y, z) == 0);
  CHECK(apart(x, y, x) == 0);
  CHECK(apart(x, y, x.t()) == 1);
  CHECK(apart(x, y, y.flip(0)) == 2);
  CHECK(apart(x(0), x(1), x(1)) == 0);
  CHECK(apart(x(all, 0), x(all, 1), x(all, 1)) == 0);
  CHECK(apart(x(slice(0, 3)), y(slice(0, 3)), x(slice(1, 4))) == 1);
  CHECK(apart(x(0), x(all, 1), z(0)) == 3);
  CHECK_SAYS("have elements in common", apart(x(slice(0, 3)), x(slice(1, 4)), z(slice(0, 3))));
}

TEST_CASE("the operands of all expressions lie behind the targets") {
  const auto x = weft::ones({4});
  const auto y = weft::ones({4});
  const auto e = weft::make_pack(x + 1, x * y, y);
  const weft::detail::LoweredFuse<decltype(x + 1), decltype(x * y), Tensor<float>> lowered(e);
  CHECK(lowered.n == 7);
  const float* const expected[] = {x.data(), x.data(), y.data(), y.data()};
  for (int i = 0; i < 4; ++i) {
    CHECK(reinterpret_cast<const float*>(lowered.operands[3 + i].data) == expected[i]);
  }
}
