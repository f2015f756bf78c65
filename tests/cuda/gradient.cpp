#include "weft/cuda/gradient.hpp"

#include "cuda/graph_nodes.hpp"
#include "gradients.hpp"

using namespace weft;

namespace {
Tensor<float, Cuda> floats(const Shape& shape, double first = 0) {
  return cast<float>(test::numbers<Cuda>(shape, first));
}
}  // namespace

TEST_CASE("[gpu] a backward pass is one kernel, and one more for each sum") {
  const Var x = parameter(floats({128, 256}));
  const Var y = parameter(floats({128, 256}, 1));
  const Var row = parameter(floats({256}, 2));
  const Tensor g = floats({128, 256}, 3);
  const auto kernels = [&](const auto& z) {
    x.zero_grad();
    y.zero_grad();
    row.zero_grad();
    z.backward(g, retain);  // finds memory, which a capture would count as well
    x.zero_grad();
    y.zero_grad();
    row.zero_grad();
    return captured([&] { z.backward(g, retain); });
  };
  const Var chain = tanh(x * y + 0.3F) * exp(-x * x) + 0.5F;
  CHECK(kernels(chain).kernels == 1);
  CHECK(kernels(chain).copies == 0);
  CHECK(kernels(chain).memsets == 0);
  const Var shifted = gelu(x * y + row) * row;
  CHECK(kernels(shifted).kernels <= 3);
  CHECK(kernels(Var(softmax(x))).kernels == 1);
}
