#include "weft/cuda/gradient/norm_narrow.hpp"

#include "test.hpp"
#include "weft/autograd.hpp"
#include "weft/cuda/gradient.hpp"

using namespace weft;

TEST_CASE("[gpu] short rows of two Vars, and of one beside a number for each row") {
  const auto values = [](const Shape& shape) {
    return sin(arange<float>(shape.size(), Cuda{})).eval().reshape(shape);
  };
  for (const int64_t columns : {3, 33, 250}) {
    CAPTURE(columns);
    const Tensor<float, Cuda> g = values({700, columns});
    const Var x = parameter(values({700, columns}));
    const Var r = parameter(values({700, columns}));
    const Var w = parameter(ones({columns}, Cuda{}));
    rms_norm(x + 2.0F * r, w).backward(g);
    CHECK(allclose(r.grad(), 2.0F * x.grad()));
    const Var n = parameter(ones({700, 1}, Cuda{}));
    const Var u = parameter(values({700, columns}));
    rms_norm(u * n, w).backward(g);
    CHECK(allclose(n.grad(), sum(u.grad() * u.detach(), axis(-1), keepdims),
                   {.rtol = 1e-3, .atol = 1e-4}));
  }
}
