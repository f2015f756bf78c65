#include "weft/autograd/expression/statement.hpp"

#include "gradients.hpp"

using namespace weft;
using test::numbers;

TEST_CASE_TEMPLATE("a statement keeps its operands until its pass is done", D, TEST_DEVICES) {
  const Var x = parameter(numbers<D>({3}));
  const auto owners = [&] { return detail::Access::storage(x.detach()).owners(); };
  const long before = owners();
  const Var y = sum(x * x);
  CHECK(owners() == before + 2);
  y.backward(retain);
  CHECK(owners() == before + 2);
  y.backward();
  CHECK(owners() == before);
}

TEST_CASE_TEMPLATE("nothing is kept where nothing is recorded", D, TEST_DEVICES) {
  const Var x = parameter(numbers<D>({3}));
  const long before = detail::Access::storage(x.detach()).owners();
  const NoGrad guard;
  const Var y = sum(x * x);
  CHECK(detail::Access::storage(x.detach()).owners() == before);
}
