// SPDX-License-Identifier: Apache-2.0
#include <weft/cpu/elementwise/loop_contents.hpp>
#include <weft/cpu/elementwise/vector_program.hpp>

#include "test.hpp"
#include "weft/weft.hpp"

using namespace weft;
using cpu::detail::runs_on_vectors;
using cpu::detail::vector_value;
using cpu::detail::vectorises;

namespace {
using X = Arg<1, float>;
using Center = Apply<op::sub, X, Reduced<0, float>>;
using Square = Apply<op::square, Center>;
using Scaled = Apply<op::add, Apply<op::mul, Square, Constant<float>>, Apply<op::neg, X>>;
using Ratio = Apply<op::div, Scaled, Constant<float>>;
static_assert(runs_on_vectors<Ratio, float>);
static_assert(!runs_on_vectors<Ratio, double>);
static_assert(!runs_on_vectors<Apply<op::exp, X>, float>);
static_assert(vectorises<Apply<op::exp, Ratio>, float>);
static_assert(!vectorises<Apply<op::exp, Ratio>, double>);
static_assert(!vectorises<Apply<op::exp, Apply<op::lgamma, X>>, float>);
static_assert(vectorises<Apply<op::exp, Apply<op::floor, X>>, float>);
static_assert(cpu::detail::reads_all_operands<
              Apply<op::where, Apply<op::gt, X, Constant<float>>, Apply<op::exp, Ratio>, X>>);
static_assert(!cpu::detail::reads_all_operands<Apply<op::lgamma, X>>);
static_assert(!runs_on_vectors<Arg<1, bfloat16>, float>);  // converted when it is loaded
static_assert(!runs_on_vectors<Arg<1, std::int32_t>, std::int32_t>);

struct At {
  const float* x;
  template <int I>
  const float* data() const {
    return x;
  }
  template <int, class T>
  T reduced() const {
    return 2;
  }
};
}  // namespace

TEST_CASE("vectors and numbers have the same values") {
  float x[20];
  for (int i = 0; i < 20; ++i) x[i] = static_cast<float>(i) * 0.5F;
  Ratio program{};
  program.programs.tail.head.value = 4;
  program.programs.head.programs.head.programs.tail.head.value = 3;
  const At at{x};
  cpu::detail::VectorOf<float>::type v;
  vector_value(v, program, at, 5);
  for (int k = 0; k < 8; ++k) {
    float number = 0;
    vector_value(number, program, at, 5 + k);
    const float e = x[5 + k];
    CHECK(number == ((e - 2) * (e - 2) * 3 - e) / 4);
    const float lane = v[k];
    CHECK(lane == number);
  }
}

TEST_CASE("reductions of sums and products inside rows, of every length") {
  for (const std::int64_t n : {1, 3, 8, 9, 63, 64, 200, 2048, 2049, 5003}) {
    CAPTURE(n);
    const auto x = (arange<double>(static_cast<double>(3 * n)) % 17.0).eval().reshape({3, n});
    const auto y = (x / 2.0 - 3.0).eval();
    const auto e = sum((x - max(x, axis(1), keepdims)) * y - square(y) / 4.0, axis(1)).eval();
    const auto largest = max(x + y * min(x, axis(1), keepdims), axis(1)).eval();
    for (std::int64_t i = 0; i < 3; ++i) {
      double most = -1e9;
      double least = 1e9;
      for (std::int64_t j = 0; j < n; ++j) {
        most = std::max(most, x.at(i, j));
        least = std::min(least, x.at(i, j));
      }
      double sum = 0;
      double best = -1e9;
      for (std::int64_t j = 0; j < n; ++j) {
        sum += (x.at(i, j) - most) * y.at(i, j) - y.at(i, j) * y.at(i, j) / 4;
        best = std::max(best, x.at(i, j) + y.at(i, j) * least);
      }
      CHECK(e.at(i) == doctest::Approx(sum).epsilon(1e-12));
      CHECK(largest.at(i) == best);
    }
  }
}
