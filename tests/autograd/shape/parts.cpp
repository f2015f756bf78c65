#include "weft/autograd/shape/parts.hpp"

#include "gradients.hpp"
#include "weft/ops/shape/edit.hpp"

using namespace weft;
using test::numbers;

TEST_CASE_TEMPLATE("a part that is replaced", D, TEST_DEVICES) {
  const Var x = parameter(numbers<D>({3, 4}));
  const Var y = parameter(numbers<D>({3}, 2));
  CHECK(gradcheck([](const auto& v, const auto& w) { return select_scatter(v * v, w, axis(1), 2); },
                  x, y));
  CHECK(gradcheck([](const auto& v, const auto& w) { return diagonal_scatter(v, w * w); }, x, y));
  CHECK(gradcheck(
      [](const auto& v, const auto& w) { return slice_scatter(v, w.sum(), axis(0), slice(1, 2)); },
      x, y));
  CHECK(gradcheck([](const auto& v) { return diagonal_scatter(v, 3.0, 1); }, x));
}
