#include "weft/cuda/gradient/known.hpp"

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

TEST_CASE("[gpu] gathered slices, and gathers whose indices differ along a row") {
  const auto gradients = [](auto device, const Shape& of_ids, int columns) {
    using D = decltype(device);
    const auto make = [](const Shape& shape, double first) {
      return parameter(Tensor<float, D>(cast<float>(test::numbers<D>(shape, first))));
    };
    const Var table = make({9, columns}, 0);
    const Var scale = make({14, 1}, 1);
    Tensor<std::int64_t> ids = empty<std::int64_t>(of_ids);
    for (std::int64_t i = 0; i < ids.size(); ++i) ids.data()[i] = i * 7 % 9;
    const Tensor there = ids.to(device);
    const auto ones_of_y = ones<float>({14, columns}, device);
    if (of_ids.rank() == 1) {
      const Var y = sigmoid(take(table, there, axis(0)) * scale);
      y.backward(ones_of_y);
    } else {
      const Var y = sigmoid(gather(table, there, axis(0)) * scale);
      y.backward(ones_of_y);
    }
    const auto host = [](const Var<float, D>& v) { return v.grad().to(Cpu{}); };
    return std::tuple(host(table), host(scale));
  };
  for (const int columns : {36, 33, 5}) {
    for (const Shape& of_ids : {Shape{14}, Shape{14, columns}}) {
      CAPTURE(columns);
      const auto [table, scale] = gradients(Cuda{}, of_ids, columns);
      const auto [table_host, scale_host] = gradients(Cpu{}, of_ids, columns);
      CHECK(allclose(table, table_host, {1e-5, 1e-5}));
      CHECK(allclose(scale, scale_host, {1e-4, 1e-4}));
    }
  }
}
