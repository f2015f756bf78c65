#include "weft/autograd/expression/kept.hpp"

#include "gradients.hpp"
#include "weft/autograd/explain.hpp"
#include "weft/explain.hpp"

using namespace weft;
using autograd::keeps_value;

TEST_CASE("which statements keep the value of their reduction") {
  const Var x = parameter(ones({4, 3}));
  const Var b = parameter(ones({3}));
  CHECK(keeps_value<decltype(norm(x, axis(0)))>);
  CHECK(keeps_value<decltype(log1p(abs(sum(x) + 1.0F)))>);
  CHECK(keeps_value<decltype(2.0F / mean(x))>);
  CHECK(keeps_value<weft::detail::node_t<decltype(max(x * x))>>);
  CHECK_FALSE(keeps_value<decltype(max(x * x) * 2.0F)>);  // needs the number of extremes too
  CHECK_FALSE(keeps_value<decltype(sum(x * x))>);
  CHECK_FALSE(keeps_value<decltype(1.0F - sum(x * x) * 2.0F)>);
  CHECK_FALSE(keeps_value<decltype(x - mean(x))>);
  CHECK_FALSE(keeps_value<decltype(exp(sum(x, axis(0))) + b)>);
  CHECK(explain_backward(log1p(norm(x, axis(0)))).kernels.size() == 2);
  CHECK(explain_backward(norm(x, axis(0))).kernels.size() == 1);
}

TEST_CASE_TEMPLATE("gradients by a kept value", D, TEST_DEVICES) {
  const Var x = parameter(test::numbers<D>({3, 4}));
  CHECK(gradcheck([](const auto& v) { return Var(log1p(abs(norm(v, axis(0))))); }, x));
  CHECK(
      gradcheck([](const auto& v) { return Var(2.0 / (sum(v * v, axis(1), keepdims) + 1.0)); }, x));
  CHECK(gradcheck([](const auto& v) { return Var(-square(max(v * 2.0, axis(1)))); }, x));

  x.zero_grad();
  const Var y = logsumexp(x, axis(1));
  const Tensor<double, D> wanted = softmax(x.value(), axis(1));
  y.value().fill(0);  // shares what was kept, which is then computed again
  y.backward(ones<double>({3}, D{}));
  CHECK(allclose(x.grad(), wanted));
}

TEST_CASE_TEMPLATE("a kept value has the precision of sums", D, TEST_DEVICES) {
  const Var x =
      parameter(Tensor<weft::half, D>(cast<weft::half>(arange<float>(300).to(D{}) * 0.01F)));
  const Var y = norm(x);
  y.backward(ones<weft::half>({}, D{}));
  const Tensor<float, D> v = cast<float>(x.value());
  const Tensor<weft::half, D> wanted = cast<weft::half>(v / norm(v));
  CHECK(x.grad().to_vector() == wanted.to_vector());
  CHECK(y.value().item() == cast<weft::half>(norm(v)).eval().item());
}
