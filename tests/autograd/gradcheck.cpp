#include "weft/autograd/gradcheck.hpp"

#include "gradients.hpp"

using namespace weft;
using test::numbers;

TEST_CASE_TEMPLATE("a wrong gradient is found and named", D, TEST_DEVICES) {
  using T = Tensor<double, D>;
  const Var x = parameter(numbers<D>({2, 3}, 1));
  const auto wrong = [](const auto& v) {
    return custom([](const T& a) { return a * a; },
                  [](const T& g, const T&, const T& a) { return g * a; }, v);
  };
  CHECK_SAYS("[gradcheck] input 0, element 0: gradient", gradcheck(wrong, x));
  CHECK(gradcheck([](const auto& v) { return Var(v * v); }, x));
  CHECK(gradcheck({1e-6, 1, 1}, wrong, x));
  const auto before = x.detach().to_vector();
  CHECK(gradcheck([](const auto& v) { return Var(v * 3.0); }, x));
  CHECK(x.detach().to_vector() == before);
}

TEST_CASE_TEMPLATE("inputs without a gradient, of other layouts and without elements", D,
                   TEST_DEVICES) {
  const Var fixed = numbers<D>({3, 2});
  const Var turned = parameter(numbers<D>({2, 3}, 1).t());
  const Var empty_one = parameter(zeros<double>({0, 2}, D{}));
  CHECK(gradcheck([](const auto& a, const auto& b) { return Var(a * b); }, fixed, turned));
  CHECK(gradcheck([](const auto& a) { return Var(exp(a)); }, empty_one));
}
