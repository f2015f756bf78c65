// SPDX-License-Identifier: Apache-2.0
#include "weft/cpu/elementwise/chunk.hpp"

#include "test.hpp"
#include "weft/cpu/elementwise/element_kernel.hpp"
#include "weft/weft.hpp"

using weft::Arg;
using weft::Pack;
namespace op = weft::op;
using weft::detail::TypeList;

namespace {
template <class Kernel>
void loop_of(const void* programs, char* const* at, const std::int64_t* step,
             const std::int64_t* skip, std::int64_t rows, std::int64_t n) {
  Kernel::each(loop_of<Kernel>, programs, at, step, skip, rows, n);
}
}  // namespace

TEST_CASE(
    "the baseline's loop: the same values as an operation at a time, in rows of every length") {
  // exp(x - y) * x + tanh(y), and y itself as a second target that is also an operand
  using X = Arg<1, float>;
  using Y = Arg<2, float>;
  using Difference = weft::Apply<op::exp, weft::Apply<op::sub, X, Y>>;
  using P = weft::Apply<op::add, weft::Apply<op::mul, Difference, X>, weft::Apply<op::tanh, Y>>;
  using Kernel = weft::cpu::detail::ElementKernel<TypeList<float, float>, TypeList<float, float>,
                                                  Pack<P, weft::Apply<op::tanh, X>>>;
  static_assert(weft::cpu::detail::takes_many_instructions<P>);
  static_assert(!weft::cpu::detail::takes_many_instructions<weft::Apply<op::sub, X, Y>>);
  for (const std::int64_t n : {1, 15, 31, 32, 33, 64, 100}) {
    CAPTURE(n);
    std::vector<float> x(static_cast<std::size_t>(2 * n));
    std::vector<float> y(x.size());
    std::vector<float> out(x.size());
    for (std::size_t i = 0; i < x.size(); ++i) {
      x[i] = static_cast<float>(i % 7) * 0.3F - 1;
      y[i] = static_cast<float>(i % 5) * 0.4F - 0.5F;
    }
    const auto before = x;
    char* const at[] = {reinterpret_cast<char*>(out.data()), reinterpret_cast<char*>(x.data()),
                        reinterpret_cast<char*>(x.data()), reinterpret_cast<char*>(y.data())};
    const std::int64_t step[] = {1, 1, 1, 1};
    const std::int64_t skip[] = {4 * n, 4 * n, 4 * n, 4 * n};
    const Pack<P, weft::Apply<op::tanh, X>> programs{};
    loop_of<Kernel>(&programs, at, step, skip, 2, n);
    for (std::size_t i = 0; i < x.size(); ++i) {
      const float first = op::exp::value(before[i] - y[i]) * before[i] + op::tanh::value(y[i]);
      CHECK(out[i] == doctest::Approx(first).epsilon(1e-6));
      CHECK(x[i] == doctest::Approx(op::tanh::value(before[i])).epsilon(1e-6));
    }
  }
}
