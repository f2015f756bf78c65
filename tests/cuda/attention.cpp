#include "weft/cuda/attention.hpp"

#include "cuda/graph_nodes.hpp"
#include "test.hpp"
#include "weft/autograd.hpp"
#include "weft/cuda/gradient.hpp"

using namespace weft;

TEST_CASE("[gpu] attention is one kernel, its gradients are three, and the scores are not stored") {
  const Var x = parameter(randn<bfloat16>({2, 4, 512, 64}, Cuda{}));
  Var y = scaled_dot_product_attention(x, x, x, {.causal = true});
  const Tensor<bfloat16, Cuda> g = ones<bfloat16>(y.shape(), Cuda{});
  const auto attend = [&] { y = scaled_dot_product_attention(x, x, x, {.causal = true}); };
  const bool library = weft::cuda::use_cudnn();
  weft::cuda::set_use_cudnn(false);
  CHECK(captured(attend).kernels == 1);
  weft::cuda::set_use_cudnn(library);
  CHECK(captured(attend).kernels <= 2);
  const Tensor<bfloat16, Cuda> v = x.detach();
  weft::cuda::reset_peak_memory_stats();
  const int64_t before = weft::cuda::memory_allocated();
  const Tensor z = scaled_dot_product_attention(v, v, v);
  const int64_t scores = 2 * 4 * 512 * 512 * 2;
  CHECK(weft::cuda::max_memory_allocated() - before < scores);
}

TEST_CASE("[gpu] attention in every type, against the CPU") {
  const auto check = [](auto zero, double tolerance) {
    using T = decltype(zero);
    for (const int64_t width : {5, 64, 100, 128}) {
      CAPTURE(width);
      const Tensor<T> q = cast<T>(randn<compute_t<T>>({2, 4, 70, width}));
      const Tensor<T> k = cast<T>(randn<compute_t<T>>({2, 2, 90, width}));
      const Tensor<T> g = cast<T>(randn<compute_t<T>>({2, 4, 70, width}));
      const auto run = [&](auto device) {
        using D = decltype(device);
        const Var<T, D> a = parameter(q.to(device));
        const Var<T, D> b = parameter(k.to(device));
        const Var<T, D> y =
            scaled_dot_product_attention(a, b, b, {.causal = true, .enable_gqa = true, .past = 20});
        y.backward(g.to(device));
        return std::tuple(y.detach().to(Cpu{}), a.grad().to(Cpu{}), b.grad().to(Cpu{}));
      };
      const auto [y, da, db] = run(Cpu{});
      const auto [z, ea, eb] = run(Cuda{});
      const auto near = [&](const auto& one, const auto& other) {
        return allclose(cast<double>(one), cast<double>(other), {tolerance, tolerance});
      };
      CHECK(near(y, z));
      CHECK(near(da, ea));
      CHECK(near(db, eb));
    }
  };
  check(double{}, 1e-9);
  check(float{}, 1e-4);
  const bool library = weft::cuda::use_cudnn();
  weft::cuda::set_use_cudnn(false);
  check(weft::half{}, 3e-2);
  check(bfloat16{}, 1e-1);
  weft::cuda::set_use_cudnn(library);
  const weft::cuda::Tf32Guard tf32;
  check(float{}, 1e-2);
}

TEST_CASE("[gpu] dropout on tensor cores draws the same weights") {
  for (const int64_t keys : {88, 90}) {
    CAPTURE(keys);
    const Tensor<float, Cuda> q = randn({2, 2, 75, 64}, Cuda{});
    const Tensor<float, Cuda> k = randn({2, 2, keys, 64}, Cuda{});
    const auto run = [&](bool tf32) {
      const weft::cuda::Tf32Guard guard(tf32);
      manual_seed(3);
      const Var a = parameter(q.clone());
      const Var b = parameter(k.clone());
      const Var y = scaled_dot_product_attention(a, b, b, {.causal = true, .dropout = 0.4});
      y.backward(q);
      return std::tuple(y.detach(), a.grad(), b.grad());
    };
    const auto [y, da, db] = run(false);
    const auto [z, ea, eb] = run(true);
    CHECK(allclose(y, z, {1e-2, 1e-2}));
    CHECK(allclose(da, ea, {3e-2, 3e-2}));
    CHECK(allclose(db, eb, {3e-2, 3e-2}));
  }
}

TEST_CASE("[gpu] heads that are too wide") {
  const Tensor<float, Cuda> x = zeros({1, 1, 2, 129}, Cuda{});
  CHECK_SAYS("heads of width 129 and 129 on Cuda, expected at most 128",
             scaled_dot_product_attention(x, x, x));
}
