#include "weft/cuda/scan/formula_plan.hpp"

#include "test.hpp"

using weft::Shape;
using weft::on_cuda::detail::FormulaScan;

namespace {

/// How a scan along `axis` of a contiguous tensor runs, by vectors of four.
FormulaScan::Form form(const Shape& shape, int axis, bool tiles = true) {
  weft::detail::Operand operands[2];
  for (auto& x : operands) {
    x.set(nullptr, 4, shape, weft::contiguous_strides(shape), nullptr);
  }
  weft::detail::Loops loops;
  constexpr weft::on_cuda::detail::ScanTiles items{512, 4096};
  return plan_formula(shape, axis, operands, 2, items, 4, tiles, 132, loops).form;
}

}  // namespace

TEST_CASE("the form of a formula's scan [nogpu]") {
  CHECK(form({1000, 128}, 1) == FormulaScan::short_rows);
  CHECK(form({1000, 129}, 1) == FormulaScan::rows);
  CHECK(form({10, 4096}, 1) == FormulaScan::in_tiles);
  CHECK(form({10, 4096}, 1, false) == FormulaScan::apart);
  CHECK(form({10'000, 4096}, 1) == FormulaScan::rows);
  CHECK(form({1000, 128}, 0) == FormulaScan::apart);  // columns
  CHECK(form({1000, 1}, 1) == FormulaScan::apart);
}
