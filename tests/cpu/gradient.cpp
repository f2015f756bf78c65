#include "weft/cpu/gradient.hpp"

#include "gradients.hpp"

using namespace weft;

TEST_CASE("targets of one statement are stored, summed and added to, each in its way") {
  const Var x = parameter(test::numbers<Cpu>({300, 500}));
  const Var row = parameter(test::numbers<Cpu>({500}, 1));
  const Var column = parameter(test::numbers<Cpu>({300, 1}, 2));
  x.set_grad(ones<double>({300, 500}));
  const Var y = x * row + column;
  const auto g = test::numbers<Cpu>({300, 500}, 3);
  y.backward(g);
  CHECK(allclose(x.grad(), g * row.detach() + 1.0));
  CHECK(allclose(row.grad(), sum(g * x.detach(), axis(0))));
  CHECK(allclose(column.grad(), sum(g, axis(1), keepdims)));
}
