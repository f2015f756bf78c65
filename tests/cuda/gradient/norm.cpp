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

TEST_CASE("[gpu] a norm of an expression goes on to its Vars in the same two kernels") {
  const Var x = parameter(ones({300, 512}, Cuda{}));
  const Var r = parameter(ones({300, 512}, Cuda{}));
  const Var w = parameter(ones({512}, Cuda{}));
  const Var b = parameter(zeros({512}, Cuda{}));
  const Tensor g = ones({300, 512}, Cuda{});
  const Var y = layer_norm(x * 2.0F + tanh(r), w, b);
  CHECK(captured([&] { y.backward(g); }).kernels == 2);
  const Var narrow = parameter(ones({300, 17}, Cuda{}));
  const Var v = parameter(ones({17}, Cuda{}));
  const Var z = rms_norm(tanh(narrow), v);
  const Tensor<float, Cuda> upstream = ones({300, 17}, Cuda{});
  CHECK(captured([&] { z.backward(upstream); }).kernels == 2);
}

TEST_CASE("which rows the kernel serves") {
  using Executor = NormExecutor<Cuda>;
  if (!weft::cuda::is_available()) {
    CHECK(!Executor::serves(Tensor<float, Cuda>(), Tensor<float, Cuda>()));
    return;
  }
  const Tensor<float, Cuda> x = zeros({6, 8}, Cuda{});
  CHECK(Executor::serves(x, x(0)));
  CHECK(!Executor::serves(zeros({8, 6}, Cuda{}).t(), x(0)));
  CHECK(Executor::serves(zeros({8, 6}, Cuda{}), zeros({6}, Cuda{})));
  const int64_t most = int64_t{weft::cuda::norm_threads} * weft::cuda::norm_elements<float>;
  const Tensor<float, Cuda> wide = zeros({1, most}, Cuda{});
  CHECK(Executor::serves(wide, wide(0)));
  const Tensor<float, Cuda> wider = zeros({1, most * weft::cuda::norm_parts + 4}, Cuda{});
  CHECK(!Executor::serves(wider, wider(0)));
}
