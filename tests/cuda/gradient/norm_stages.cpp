#include "weft/cuda/gradient/norm_stages.hpp"

#include "test.hpp"
#include "weft/autograd.hpp"
#include "weft/cuda/gradient.hpp"

using namespace weft;

TEST_CASE("[gpu] the last rows of a block end anywhere") {
  for (const int64_t rows : {1, 2, 31, 255, 256, 257, 40001}) {
    CAPTURE(rows);
    const Var x =
        parameter(cast<bfloat16>(sin(arange<float>(rows * 7, Cuda{}))).eval().reshape({rows, 7}));
    const Var w = parameter(ones<bfloat16>({7}, Cuda{}));
    const Var b = parameter(zeros<bfloat16>({7}, Cuda{}));
    const Tensor g = ones<bfloat16>({rows, 7}, Cuda{});
    layer_norm(x, w, b).backward(g);
    CHECK(allclose(cast<float>(b.grad()), full({7}, static_cast<float>(rows), Cuda{}),
                   {.rtol = 0.01}));
    CHECK(allclose(cast<float>(x.grad()), zeros({rows, 7}, Cuda{}), {.rtol = 0.0, .atol = 1e-3}));
  }
}
