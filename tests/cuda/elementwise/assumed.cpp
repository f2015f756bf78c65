// SPDX-License-Identifier: Apache-2.0
#include <weft/cuda/elementwise/assumed.hpp>

#include "array.hpp"

using weft::Apply;
using weft::Arg;
using weft::Cuda;
using weft::Tensor;
using weft::on_cuda::detail::assumes_parts;
using weft::on_cuda::detail::distinct_operands;

namespace {

namespace op = weft::op;
template <int I>
using X = Arg<I, float>;
template <int I>
using Sum = Apply<op::add, X<I>, X<I + 1>>;

// where(x + y > z, x + y, z): the sum occurs twice, apart from each other.
using Chosen = Apply<op::where, Apply<op::gt, Sum<1>, X<3>>, Sum<4>, X<6>>;
static_assert(assumes_parts<Chosen>);
static_assert(distinct_operands<float, Chosen> == 5);  // x, y, z twice, and the target

// (x + y) * (z + b), exp(x) * y + exp(z): mere pairs, single operands.
static_assert(!assumes_parts<Apply<op::mul, Sum<1>, Sum<3>>>);
static_assert(!assumes_parts<
              Apply<op::add, Apply<op::mul, Apply<op::exp, X<1>>, X<2>>, Apply<op::exp, X<3>>>>);

}  // namespace

TEST_CASE("parts of several operands have one value, or not [gpu] [sanitize]") {
  test::Random r(9);
  const auto x = r.array<float>({48, 64});
  const auto y = r.array<float>({48, 64});
  const auto row = r.array<float>({64});
  const auto chosen = [](const auto& a, const auto& b, const auto& c, const auto& d) {
    return where((a + b) * c > b, (a + d) * c, b) - a;
  };
  const auto check = [&](const auto& d) {
    const Tensor<float, Cuda> found =
        chosen(x.on(Cuda{}), y.on(Cuda{}), row.on(Cuda{}), d.on(Cuda{}));
    const auto cpu = weft::Cpu{};
    const Tensor<float> expected = chosen(x.on(cpu), y.on(cpu), row.on(cpu), d.on(cpu));
    CHECK(allclose(found.to(cpu), expected, {1e-6, 1e-6}));
  };
  check(y);  // of another tensor, though of the same elements
  check(x);
  const auto dx = x.on(Cuda{});
  const auto dy = y.on(Cuda{});
  const auto dr = row.on(Cuda{});
  const Tensor<float, Cuda> one = chosen(dx, dy, dr, dy);
  const Tensor<float> same =
      chosen(x.on(weft::Cpu{}), y.on(weft::Cpu{}), row.on(weft::Cpu{}), y.on(weft::Cpu{}));
  CHECK(allclose(one.to(weft::Cpu{}), same, {1e-6, 1e-6}));
}
