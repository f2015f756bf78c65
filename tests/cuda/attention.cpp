#include "weft/cuda/attention.hpp"

#include "cuda/graph_nodes.hpp"
#include "test.hpp"
#include "weft/autograd.hpp"
#include "weft/cuda/gradient.hpp"

using namespace weft;

TEST_CASE("[gpu] attention is one kernel, its gradients are two, and the scores are not stored") {
  const Var x = parameter(randn<bfloat16>({2, 4, 512, 64}, Cuda{}));
  Var y = scaled_dot_product_attention(x, x, x, {.causal = true});
  const Tensor<bfloat16, Cuda> g = ones<bfloat16>(y.shape(), Cuda{});
  const auto attend = [&] { y = scaled_dot_product_attention(x, x, x, {.causal = true}); };
  const bool library = weft::cuda::use_cudnn();
  weft::cuda::set_use_cudnn(false);
  CHECK(captured(attend).kernels == 1);
  const auto begun = weft::detail::attend<bfloat16, Cuda>(x.detach(), x.detach(), x.detach(), {});
  const Tensor<bfloat16, Cuda> gradients[] = {g.clone(), g.clone(), g.clone()};
  const auto differentiate = [&] {
    AttentionKernels<Cuda>::backward(begun.plan, begun.q, begun.k, begun.v, begun.y, begun.logs, g,
                                     gradients[0], gradients[1], gradients[2]);
  };
  CHECK(captured(differentiate).kernels == 2);
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

TEST_CASE(
    "[gpu] attention on tensor cores, masked, of odd sizes, views and values of other widths") {
  const weft::cuda::Tf32Guard tf32;
  struct Case {
    int64_t queries, keys, width, value_width;
    bool causal;
    int mask;  // 1: of keys and queries, 2: added, 3: of keys
    double dropout;
  };
  const Case cases[] = {
      {1, 1, 3, 2, false, 0, 0},      {129, 70, 64, 32, true, 0, 0.3},
      {33, 161, 20, 64, false, 1, 0}, {140, 65, 64, 64, false, 2, 0.2},
      {70, 140, 96, 128, true, 3, 0}, {200, 97, 128, 36, true, 0, 0.25},
      {31, 64, 32, 32, false, 0, 0},  {130, 132, 16, 40, true, 1, 0.5},
  };
  for (const Case& c : cases) {
    CAPTURE(c.queries);
    const auto part = [](int64_t rows, int64_t heads, int64_t width) {
      return randn({2, rows, heads, width}).transpose(1, 2);
    };
    const Tensor q = part(c.queries, 4, c.width);
    const Tensor k = part(c.keys, 2, c.width);
    const Tensor v = part(c.keys, 2, c.value_width);
    const Tensor g = part(c.queries, 4, c.value_width);
    Tensor<bool> allowed = rand({2, 1, c.mask == 3 ? 1 : c.queries, c.keys}) < 0.7F;
    if (c.mask == 1) allowed(0, 0, 3).fill(false);  // attends to nothing
    const Tensor<float> added = randn({1, 4, c.queries, c.keys});
    const auto run = [&](auto device, bool fast) {
      using D = decltype(device);
      const weft::cuda::Tf32Guard guard(fast);
      AttentionMask<float, D> mask;
      if (c.mask % 2 == 1) mask.allowed = allowed.to(device);
      if (c.mask == 2) mask.added = added.to(device);
      const auto give = [&](const Tensor<float>& x) { return parameter(x.to(device)); };
      const Var<float, D> vars[] = {give(q), give(k), give(v)};
      manual_seed(5);
      const Var<float, D> y = scaled_dot_product_attention(
          vars[0], vars[1], vars[2],
          {.mask = mask, .causal = c.causal, .dropout = c.dropout, .enable_gqa = true, .past = 7});
      y.backward(g.to(device));
      return std::array<Tensor<float>, 4>{y.detach().to(Cpu{}), vars[0].grad().to(Cpu{}),
                                          vars[1].grad().to(Cpu{}), vars[2].grad().to(Cpu{})};
    };
    const auto wanted = run(Cpu{}, false);
    const auto found = run(Cuda{}, true);
    for (std::size_t i = 0; i < 4; ++i) {
      CAPTURE(i);
      CHECK(allclose(found[i], wanted[i], {i == 0 ? 1e-2 : 3e-2, i == 0 ? 1e-2 : 3e-2}));
    }
  }
}

TEST_CASE("[gpu] attention on tensor cores of large, small and growing scores") {
  const weft::cuda::Tf32Guard tf32;
  for (const float factor : {-300.F, 1e-3F, 300.F}) {
    CAPTURE(factor);
    const Tensor<float> growing = arange<float>(100).reshape({1, 1, 100, 1}) * (factor / 100);
    const Tensor<float> k = growing + zeros({1, 1, 100, 8});
    const Tensor<float> q = ones({1, 1, 40, 8});
    const Tensor<float> v = randn({1, 1, 100, 8});
    const Tensor y = scaled_dot_product_attention(q.to(Cuda{}), k.to(Cuda{}), v.to(Cuda{}));
    CHECK(allclose(y.to(Cpu{}), scaled_dot_product_attention(q, k, v), {1e-2, 3e-2}));
  }
}

TEST_CASE("[gpu] heads that are too wide") {
  const Tensor<float, Cuda> x = zeros({1, 1, 2, 129}, Cuda{});
  CHECK_SAYS("heads of width 129 and 129 on Cuda, expected at most 128",
             scaled_dot_product_attention(x, x, x));
}
