#include "weft/cuda/gradient/norm_sums.hpp"

#include "test.hpp"
#include "weft/autograd.hpp"
#include "weft/cuda/gradient.hpp"

using namespace weft;

TEST_CASE("[gpu] rows that the blocks of a cluster share") {
  for (const int64_t columns : {8200, 16384, 50257, 65536}) {
    CAPTURE(columns);
    const Var x = parameter(sin(arange<float>(70 * columns, Cuda{})).eval().reshape({70, columns}));
    const Var w = parameter(ones({columns}, Cuda{}));
    const Var b = parameter(zeros({columns}, Cuda{}));
    layer_norm(x, w, b).backward(ones({70, columns}, Cuda{}));
    CHECK(allclose(x.grad(), zeros({70, columns}, Cuda{}), {.rtol = 0.0, .atol = 1e-5}));
    CHECK(allclose(b.grad(), full({columns}, 70.0F, Cuda{})));
    const Tensor<float, Cuda> h = layer_norm(x.detach(), w.detach(), b.detach());
    CHECK(allclose(w.grad(), sum(h, axis(0)), {.rtol = 1e-4, .atol = 1e-3}));
  }
}
