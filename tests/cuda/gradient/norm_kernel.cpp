#include "weft/cuda/gradient/norm_kernel.hpp"

#include "test.hpp"
#include "weft/autograd.hpp"
#include "weft/cuda/gradient.hpp"

using namespace weft;

TEST_CASE("[gpu] rows of several vectors a thread, of which the last one is short") {
  const Var x = parameter(arange<float>(40 * 1028, Cuda{}).reshape({40, 1028}));
  const Var w = parameter(ones({1028}, Cuda{}));
  const Var b = parameter(zeros({1028}, Cuda{}));
  layer_norm(x * 1e-3F, w, b).backward(ones({40, 1028}, Cuda{}));
  // The gradient of a row's sum, which is always 0.
  CHECK(allclose(x.grad(), zeros({40, 1028}, Cuda{}), {.rtol = 0.0, .atol = 1e-6}));
  CHECK(allclose(b.grad(), full({1028}, 40.0F, Cuda{})));
}

TEST_CASE("[gpu] a Var that a norm's operand is made of twice") {
  const Tensor<float, Cuda> values = sin(arange<float>(40 * 512, Cuda{})).eval().reshape({40, 512});
  const Var x = parameter(values.clone());
  const Var y = parameter(values.clone());
  const Var w = parameter(ones({512}, Cuda{}));
  const Tensor<float, Cuda> g = cos(values);
  rms_norm(x * x, w).backward(g);
  rms_norm(square(y), w).backward(g);
  CHECK(allclose(x.grad(), y.grad(), {.rtol = 1e-4, .atol = 1e-6}));
}
