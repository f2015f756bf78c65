#include "weft/cuda/gradient/norm.hpp"

#include "cuda/graph_nodes.hpp"
#include "test.hpp"
#include "weft/autograd.hpp"
#include "weft/cuda/gradient.hpp"

using namespace weft;

TEST_CASE("[gpu] a norm's gradients are two kernels") {
  const Var x = parameter(ones({300, 512}, Cuda{}));
  const Var w = parameter(ones({512}, Cuda{}));
  const Var b = parameter(zeros({512}, Cuda{}));
  const Tensor g = ones({300, 512}, Cuda{});
  const Var y = layer_norm(x, w, b);
  CHECK(captured([&] { y.backward(g); }).kernels == 2);
  const Var z = rms_norm(x, w);
  w.zero_grad();
  CHECK(captured([&] { z.backward(g); }).kernels == 2);
}

TEST_CASE("[gpu] rows of any length, from anywhere") {
  const Tensor<float, Cuda> w = ones({6}, Cuda{});
  const Tensor<float, Cuda> odd = arange<float>(49, Cuda{});
  const Var x = parameter(odd(slice(1, 49)).reshape({8, 6}));
  const Var weight = parameter(w);
  const Tensor<float, Cuda> g = square(arange<float>(48, Cuda{})).eval().reshape({8, 6});
  const Var y = rms_norm(x, weight);
  CHECK(captured([&] { y.backward(g); }).kernels == 2);
}

TEST_CASE("which operands the kernel serves") {
  using Executor = NormExecutor<Cuda>;
  if (!weft::cuda::is_available()) {
    CHECK(!Executor::serves(Tensor<float, Cuda>(), Tensor<float, Cuda>(), Tensor<float, Cuda>()));
    return;
  }
  const Tensor<float, Cuda> x = zeros({6, 8}, Cuda{});
  const Tensor<float, Cuda> w = zeros({8}, Cuda{});
  CHECK(Executor::serves(x, x, w));
  CHECK(!Executor::serves(x, zeros({8, 6}, Cuda{}).t(), w));
  const Tensor<float, Cuda> odd = zeros({49}, Cuda{});
  CHECK(Executor::serves(odd(slice(1, 49)).reshape({6, 8}), x, w));
  CHECK(Executor::serves(zeros({8, 6}, Cuda{}), zeros({8, 6}, Cuda{}), zeros({6}, Cuda{})));
  const int64_t most = int64_t{weft::cuda::norm_threads} * weft::cuda::norm_elements<float>;
  const Tensor<float, Cuda> wide = zeros({1, most}, Cuda{});
  CHECK(Executor::serves(wide, wide, wide(0)));
  const Tensor<float, Cuda> wider = zeros({1, most + 4}, Cuda{});
  CHECK(!Executor::serves(wider, wider, wider(0)));
}
