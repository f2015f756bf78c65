#include "weft/cuda/attention/tensor_scores.hpp"

#include "test.hpp"
#include "weft/autograd.hpp"
#include "weft/cuda/attention.hpp"
#include "weft/cuda/gradient.hpp"

using namespace weft;

TEST_CASE(
    "[gpu] tensor cores keep the weights that the CPU keeps, of half types and wide heads too") {
  const auto check = [](auto zero, int64_t width, int64_t keys) {
    using T = decltype(zero);
    CAPTURE(width);
    CAPTURE(keys);
    const auto some = [](const Shape& shape) { return Tensor<T>(cast<T>(randn(shape))); };
    const Tensor<T> q = some({2, 2, 67, width});
    const Tensor<T> k = some({2, 2, keys, width});
    const auto run = [&](auto device) {
      using D = decltype(device);
      const Var<T, D> a = parameter(q.to(device));
      const Var<T, D> b = parameter(k.to(device));
      manual_seed(11);
      const Var<T, D> y = scaled_dot_product_attention(a, b, b, {.dropout = 0.5});
      y.backward(q.to(device));
      return std::tuple(y.detach().to(Cpu{}), a.grad().to(Cpu{}), b.grad().to(Cpu{}));
    };
    const auto [y, da, db] = run(Cpu{});
    const auto [z, ea, eb] = run(Cuda{});
    const auto near = [](const auto& one, const auto& other) {
      return allclose(cast<double>(one), cast<double>(other), {5e-2, 5e-2});
    };
    CHECK(near(y, z));
    CHECK(near(da, ea));
    CHECK(near(db, eb));
  };
  const bool library = weft::cuda::use_cudnn();
  weft::cuda::set_use_cudnn(false);
  check(weft::half{}, 64, 100);
  check(weft::half{}, 40, 71);
  weft::cuda::set_use_cudnn(library);
  const weft::cuda::Tf32Guard tf32;
  check(float{}, 128, 68);
  check(float{}, 48, 136);
}
