#include "weft/autograd/expression/reduction.hpp"

#include <limits>

#include "gradients.hpp"

using namespace weft;
using test::numbers;

TEST_CASE_TEMPLATE("every reduction, along axes and over all", D, TEST_DEVICES) {
  const Var x = parameter(numbers<D>({2, 3, 4}));
  CHECK(gradcheck([](const auto& v) { return Var(sum(v * v, axis(1))); }, x));
  CHECK(gradcheck([](const auto& v) { return Var(mean(exp(v))); }, x));
  CHECK(gradcheck([](const auto& v) { return Var(prod(v, axis(-1), keepdims)); }, x));
  CHECK(gradcheck([](const auto& v) { return Var(max(v * 2.0, axis(0, 2))); }, x));
  CHECK(gradcheck([](const auto& v) { return Var(min(v, axis(0))); }, x));
  CHECK(gradcheck([](const auto& v) { return Var(logsumexp(v, axis(-1))); }, x));
  CHECK(gradcheck([](const auto& v) { return Var(var(v, axis(-1))); }, x));
  CHECK(gradcheck([](const auto& v) { return Var(stddev(v, axis(1), correction(0))); }, x));
  CHECK(gradcheck([](const auto& v) { return Var(norm(v, axis(-1))); }, x));
  for (const double p : {1.0, 3.0, std::numeric_limits<double>::infinity()}) {
    CHECK(gradcheck([p](const auto& v) { return Var(norm_p(v, p, axis(-1))); }, x));
  }
}

TEST_CASE_TEMPLATE("reductions inside an expression", D, TEST_DEVICES) {
  const Var x = parameter(numbers<D>({3, 4}));
  const Var row = parameter(numbers<D>({4}, 1));
  CHECK(gradcheck([](const auto& v) { return Var(v / sum(v * v, axis(-1), keepdims)); }, x));
  CHECK(gradcheck([](const auto& v, const auto& w) { return Var((v - mean(v * w)) * w); }, x, row));
  CHECK(gradcheck(
      [](const auto& v) {
        const auto d = v - mean(v, axis(-1), keepdims);
        return Var(d * rsqrt(mean(square(d), axis(-1), keepdims) + 1e-5));
      },
      x));
  CHECK(gradcheck([](const auto& v) { return Var(sum(v * sum(v, axis(0)), axis(1))); }, x));
  const Tensor m = numbers<D>({3, 4}).eval() > 0;
  CHECK(gradcheck([&](const auto& v) { return Var(sum(v * v * m) / sum(m)); }, x));
}

TEST_CASE_TEMPLATE("equal extremes share, zeros in a product do not disturb", D, TEST_DEVICES) {
  const auto gradient = [](const Var<double, D>& x, const auto& y) {
    x.zero_grad();
    const Var value = y;
    value.backward();
    return x.grad().to_vector();
  };
  const Var x = parameter(tensor({1.0, 3.0, 3.0, 0.0}).to(D{}));
  using Values = std::vector<double>;
  CHECK(gradient(x, max(x)) == Values{0, 0.5, 0.5, 0});
  CHECK(gradient(x, min(x)) == Values{0, 0, 0, 1});
  CHECK(gradient(x, prod(x)) == Values{0, 0, 0, 9});
  CHECK(gradient(x, norm(x * 0.0)) == Values{0, 0, 0, 0});
  const Var zeros_twice = parameter(tensor({2.0, 0.0, 0.0}).to(D{}));
  CHECK(gradient(zeros_twice, prod(zeros_twice)) == Values{0, 0, 0});
}
