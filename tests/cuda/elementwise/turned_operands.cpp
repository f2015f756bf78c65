// SPDX-License-Identifier: Apache-2.0
#include "weft/cuda/elementwise/turned_operands.hpp"

#include <string>

#include "cuda/operands.hpp"
#include "test.hpp"
#include "weft/explain.hpp"
#include "weft/ops/compose.hpp"

using test::operand;
using weft::axis;
using weft::Cuda;
using weft::Shape;
using weft::cuda::TurnedOperand;
using weft::cuda::TurnKernels;
using weft::cuda::detail::OperandTurner;
using weft::cuda::detail::TurnTo;
using weft::detail::Operand;

namespace {

/// How many of the operands are copied; each copy's strides are checked to be whole.
int turned(const Shape& kept, const Shape& reduced, std::initializer_list<Operand> all,
           TurnTo to = TurnTo::rows_or_results) {
  std::vector<Operand> operands(all);
  TurnKernels kernels;
  for (const void*& kernel : kernels.of_size) kernel = &kernels;
  int copies = 0;
  OperandTurner(to, kept, reduced, operands.data(), 1, static_cast<int>(operands.size()))
      .run(kernels, [&](const Operand& x, const TurnedOperand& copy) {
        ++copies;
        CHECK(copy.launch.turned);
        CHECK(copy.launch.blocks > 0);
        CHECK(copy.bytes % x.itemsize == 0);
        return true;
      });
  for (const Operand& x : operands) CHECK(x.itemsize > 0);
  return copies;
}

}  // namespace

TEST_CASE("operands that lie across most of the others are copied along them") {
  const Operand result = operand(4, {1, 0});
  const Operand along = operand(4, {2048, 1});
  const Operand across = operand(4, {1, 2048});
  CHECK(turned({2048}, {2048}, {result, along, across}) == 1);
  CHECK(turned({2048}, {2048}, {result, across, along}) == 1);
  CHECK(turned({2048}, {2048}, {result, along, along}) == 0);
  CHECK(turned({2048}, {2048}, {result, across, across}) == 0);
  // One that occurs twice is copied once, and is then most of what there is.
  CHECK(turned({2048}, {2048}, {result, along, along, across, across, along}) == 1);
  CHECK(turned({2048}, {2048}, {result, across, along, across}) == 1);
}

TEST_CASE("an operand that is small, short, broadcast or of bytes stays where it is") {
  const Operand result = operand(4, {1, 0});
  CHECK(turned({512}, {512}, {result, operand(4, {512, 1}), operand(4, {1, 512})}) == 0);
  CHECK(turned({16}, {1 << 20}, {result, operand(4, {1 << 20, 1}), operand(4, {1, 16})}) == 0);
  CHECK(turned({2048}, {2048}, {result, operand(4, {2048, 1}), operand(4, {1, 0})}) == 0);
  CHECK(turned({4096}, {4096}, {result, operand(4, {4096, 1}), operand(1, {1, 4096})}) == 0);
  CHECK(turned({4096}, {4096}, {result, operand(4, {4096, 1}), operand(4, {-1, 4096})}) == 0);
}

TEST_CASE("short rows and columns of a row program are read as they are") {
  const Operand result = operand(4, {1, 0});
  const auto both = [&](int64_t rows, int64_t length, TurnTo to) {
    return turned({rows}, {length}, {result, operand(4, {length, 1}), operand(4, {1, rows})}, to);
  };
  CHECK(both(1 << 20, 256, TurnTo::rows_or_results) == 0);
  CHECK(both(1 << 20, 257, TurnTo::rows_or_results) == 1);
  CHECK(both(1 << 20, 128, TurnTo::rows) == 0);
  CHECK(both(1 << 20, 129, TurnTo::rows) == 1);
  const Operand along = operand(4, {2048, 1});
  const Operand across = operand(4, {1, 2048});
  // Most of a row program lies along its columns: x, and the result.
  const Operand columns = operand(4, {1, 2048});
  CHECK(turned({2048}, {2048}, {columns, along, across, along}, TurnTo::rows) == 0);
  CHECK(turned({2048}, {2048}, {along, across, across}, TurnTo::rows) == 1);
}

TEST_CASE("statements over operands in two orders give the same as over copies [gpu]") {
  const auto x = sin(weft::arange<float>(3 * 700 * 1100, Cuda{})).reshape({3, 700, 1100}).eval();
  const auto y = cos(weft::arange<float>(3 * 700 * 1100, Cuda{})).reshape({1100, 3, 700}).eval();
  const auto turned = y.permute(1, 2, 0);
  const auto copy = turned.clone();
  const auto same = [](const auto& a, const auto& b) {
    CHECK(max(abs(a - b)).item() <= 1e-5F * max(abs(b)).item());
  };
  same(sum(x * turned, axis(2)).eval(), sum(x * copy, axis(2)).eval());
  same(sum(x * square(turned) + turned, axis(1)).eval(),
       sum(x * square(copy) + copy, axis(1)).eval());
  same(max(x - turned).eval(), max(x - copy).eval());
  same(softmax(x / (2 + turned), axis(-1)).eval(), softmax(x / (2 + copy), axis(-1)).eval());
  same(softmax(turned * turned - x, axis(-1)).eval(), softmax(copy * copy - x, axis(-1)).eval());
  same(softmax(x + turned, axis(1)).eval(), softmax(x + copy, axis(1)).eval());
  const auto halves = y.to<weft::half>().permute(1, 2, 0);
  same(sum(x * cast<float>(halves), axis(2)).eval(),
       sum(x * cast<float>(halves.clone()), axis(2)).eval());
  const auto doubles = y.to<double>().permute(1, 2, 0);
  same(sum(x * cast<float>(doubles), axis(2)).eval(),
       sum(x * cast<float>(doubles.clone()), axis(2)).eval());
  const auto backwards = flip(turned, axis(1));
  same(sum(x * backwards, axis(2)).eval(), sum(x * backwards.clone(), axis(2)).eval());
  auto into = x.clone();
  into = softmax(into + turned, axis(-1));
  same(into, softmax(x + copy, axis(-1)).eval());
}

TEST_CASE("explain shows the copy as a kernel of its own [gpu]") {
  const auto x = weft::ones({1100, 1300}, Cuda{});
  const auto y = weft::ones({1300, 1100}, Cuda{});
  for (const weft::Explanation& e : {explain(softmax(x + y.transpose(0, 1), axis(-1))),
                                     explain(sum(x * y.transpose(0, 1), axis(1)))}) {
    CAPTURE(std::string(to_string(e)));
    REQUIRE(e.kernels.size() >= 2);
    CHECK(std::string(e.kernels[0].kind.c_str()) == "turned copy");
    CHECK(e.kernels[0].reads.size() == 1);
    CHECK(e.kernels[0].writes.size() == 1);
    CHECK(e.kernels[1].reads.size() == 2);
  }
}
