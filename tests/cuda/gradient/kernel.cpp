#include "weft/cuda/gradient/kernel.hpp"

#include "gradients.hpp"

using namespace weft;

TEST_CASE("[gpu] sums of each kind, of float, with vectors and without") {
  for (const std::int64_t rows : {1, 5, 300, 5000}) {
    for (const std::int64_t columns : {1, 6, 64, 129, 2048}) {
      const auto make = [](const Shape& shape, double first) {
        return parameter(Tensor<float, Cuda>(cast<float>(test::numbers<Cuda>(shape, first))));
      };
      const Var x = make({rows, columns}, 0);
      const Var row = make({columns}, 1);
      const Var column = make({rows, 1}, 2);
      const Var one = make({}, 3);
      const Var y = x * row + column * one * x;
      y.backward(ones<float>({rows, columns}, Cuda{}));
      const auto& v = x.detach();
      const Tolerance close{1e-4, 1e-3};
      CHECK(allclose(x.grad(), row.detach() + column.detach() * one.detach(), close));
      CHECK(allclose(row.grad(), sum(v, axis(0)), close));
      CHECK(allclose(column.grad(), sum(v * one.detach(), axis(1), keepdims), close));
      CHECK(allclose(one.grad(), sum(v * column.detach()), {1e-3, 1e-1}));
    }
  }
}

TEST_CASE("[gpu] a sum over axes that are not neighbours") {
  const Var x = parameter(test::numbers<Cuda>({6, 5, 7}));
  const Var channel = parameter(test::numbers<Cuda>({5, 1}, 1));
  const Var y = x * channel;
  y.backward(ones<double>({6, 5, 7}, Cuda{}));
  CHECK(allclose(channel.grad(), sum(x.detach(), axis(0, 2)).eval().reshape({5, 1})));
}

TEST_CASE("[gpu] channels of images") {
  for (const Shape& shape : {Shape{6, 5, 7, 7}, Shape{3, 4, 64, 64}, Shape{70, 3, 2, 600}}) {
    const Var x = parameter(Tensor<float, Cuda>(cast<float>(test::numbers<Cuda>(shape))));
    const Var channel = parameter(full<float>({shape[1], 1, 1}, 0.5F, Cuda{}));
    const Var image = parameter(full<float>({shape[0], 1, 1, 1}, 2, Cuda{}));
    const Var y = x * channel + image * x;
    y.backward(ones<float>(shape, Cuda{}));
    const auto sums = [&](const Axes& axes) { return sum(x.detach(), axes, keepdims).eval(); };
    CHECK(allclose(channel.grad(), sums(axis(0, 2, 3)).reshape({shape[1], 1, 1}), {1e-4, 1e-2}));
    CHECK(allclose(image.grad(), sums(axis(1, 2, 3)), {1e-4, 1e-2}));
  }
}

TEST_CASE("[gpu] an operand whose rows lie across the others'") {
  const Var x = parameter(Tensor<float, Cuda>(cast<float>(test::numbers<Cuda>({37, 300, 101}))));
  const Var y = parameter(Tensor<float, Cuda>(cast<float>(test::numbers<Cuda>({101, 37, 300}, 1))));
  const Var one = parameter(full<float>({}, 2, Cuda{}));
  const Var z = x * y.permute({1, 2, 0}) * one;
  z.backward(ones<float>({37, 300, 101}, Cuda{}));
  const auto turned = y.detach().permute({1, 2, 0});
  CHECK(allclose(x.grad(), turned * 2.0F, {1e-5, 1e-5}));
  CHECK(allclose(y.grad(), x.detach().permute({2, 0, 1}) * 2.0F, {1e-5, 1e-5}));
  CHECK(allclose(one.grad(), sum(x.detach() * turned), {1e-3, 1e-1}));
}
