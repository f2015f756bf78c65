#include "weft/autograd/tape/engine.hpp"

#include "gradients.hpp"

using namespace weft;
using test::numbers;

TEST_CASE_TEMPLATE("a value that is read twice is passed back once", D, TEST_DEVICES) {
  const Var x = parameter(numbers<D>({2}));
  int passes = 0;
  const auto counted = [&](const auto& v) {
    return custom([](const Tensor<double, D>& a) { return a * 2.0; },
                  [&](const Tensor<double, D>& g, const auto&, const auto&) {
                    ++passes;
                    return g * 2.0;
                  },
                  v);
  };
  const Var a = counted(x);
  const Var b = a * 3.0;
  const Var c = b + a;
  const Var d = sum(c * 1.0 + a + b);
  d.backward();
  CHECK(passes == 1);
  CHECK(allclose(x.grad(), full<double>({2}, 16.0, D{})));
}

TEST_CASE_TEMPLATE("after a failure another pass starts anew", D, TEST_DEVICES) {
  const Var x = parameter(numbers<D>({2}));
  bool fails = true;
  const Var y = custom([](const Tensor<double, D>& a) { return a * 2.0; },
                       [&](const Tensor<double, D>& g, const auto&, const auto&) {
                         if (fails) throw ValueError("not now");
                         return g * 2.0;
                       },
                       x);
  const Var z = sum(y * 3.0);
  CHECK_SAYS("not now", z.backward(retain));
  CHECK_FALSE(x.has_grad());
  fails = false;
  z.backward(retain);
  CHECK(allclose(x.grad(), full<double>({2}, 6.0, D{})));
}
