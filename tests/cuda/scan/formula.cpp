#include "weft/cuda/scan/formula.hpp"

#include <weft/cuda/scan/formula_reads.hpp>

#include "weft/cuda/scan/scan.hpp"

#include "array.hpp"
#include "test.hpp"

using weft::axis;
using weft::Cuda;
using weft::Shape;
using weft::Tensor;

namespace {

/// A scan of a formula is that of its value.
void agree(const Shape& shape, const Shape& row, int along) {
  CAPTURE(shape);
  test::Random r(7);
  const auto x = r.array<float>(shape);
  const auto b = r.array<float>(row);
  const auto f = [along](const auto& y, const auto& c) { return cumsum(y * c, axis(along)); };
  const Tensor<float, Cuda> found = f(x.on(Cuda{}), b.on(Cuda{}));
  const Tensor<float, Cuda> value = x.on(Cuda{}) * b.on(Cuda{});
  const auto expected = cumsum(value.to(weft::Cpu{}), axis(along)).eval();
  CHECK(allclose(found.to(weft::Cpu{}), expected, {1e-4, 1e-4}));
}

}  // namespace

TEST_CASE("scans read the operands of a formula [gpu] [sanitize]") {
  agree({3001, 300}, {300}, 1);
  agree({5, 70, 257}, {70, 1}, 2);
  agree({2, 50001}, {50001}, 1);
  agree({70, 64}, {64}, 1);
  agree({100003}, {1}, 0);
  agree({300, 40}, {40}, 0);
}
