#include "weft/cuda/gradient/splat.hpp"

#include "gradients.hpp"
#include "weft/cuda/gradient.hpp"

using namespace weft;

TEST_CASE("[gpu] functions of operands that are one element for all lanes, and of others") {
  const auto gradients = [](auto device, const Shape& of_b) {
    using D = decltype(device);
    const auto make = [](const Shape& shape, double first) {
      return parameter(Tensor<float, D>(cast<float>(test::numbers<D>(shape, first))));
    };
    const Var x = make({40, 36}, 0);
    const Var b = make(of_b, 1);
    const Var c = make({}, 2);
    const Var y = sigmoid(x) * erf(b) - exp(c) * tanh(b * x);
    y.backward(ones<float>({40, 36}, device));
    const auto host = [](const Var<float, D>& v) { return v.grad().to(Cpu{}); };
    return std::tuple(host(x), host(b), host(c));
  };
  for (const Shape& of_b : {Shape{40, 1}, Shape{36}, Shape{40, 36}, Shape{}}) {
    const auto [x, b, c] = gradients(Cuda{}, of_b);
    const auto [x_host, b_host, c_host] = gradients(Cpu{}, of_b);
    CHECK(allclose(x, x_host, {1e-5, 1e-5}));
    CHECK(allclose(b, b_host, {1e-4, 1e-4}));
    CHECK(allclose(c, c_host, {1e-4, 1e-3}));
  }
}
