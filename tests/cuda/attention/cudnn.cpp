#include "weft/cuda/attention/cudnn.hpp"

#include <string>

#include "cuda/graph_nodes.hpp"
#include "test.hpp"
#include "weft/autograd.hpp"
#include "weft/cuda/attention.hpp"
#include "weft/cuda/gradient.hpp"

#if defined(WEFT_CUDNN)
using namespace weft;

namespace {
/// Small attentions go to cuDNN too until the end of the scope.
struct AllToCudnn {
  double before = weft::cuda::detail::least_attention_work;
  AllToCudnn() { weft::cuda::detail::least_attention_work = 0; }
  ~AllToCudnn() { weft::cuda::detail::least_attention_work = before; }
};
enum class Masked : unsigned char { not_at_all, keys, queries, added };
struct Case {
  const char* name;
  int64_t heads;
  int64_t key_heads;
  int64_t queries;
  int64_t keys;
  int64_t width;
  int64_t value_width;
  bool causal = false;
  int64_t past = 0;
  Masked masked = Masked::not_at_all;
  bool by_library = true;
};
constexpr Case cases[] = {
    {"plain", 4, 4, 128, 128, 64, 64},
    {"odd lengths", 2, 2, 77, 131, 64, 64},
    {"causal", 2, 2, 130, 130, 128, 128, true},
    {"causal, more keys", 2, 2, 70, 150, 80, 80, true},
    {"behind a cache", 2, 2, 40, 100, 64, 64, true, 60},
    {"grouped", 4, 2, 100, 90, 32, 32, true},
    {"narrow values", 2, 2, 64, 80, 64, 96},
    {"keys masked", 3, 3, 90, 70, 32, 32, false, 0, Masked::keys},
    {"queries masked", 2, 2, 90, 72, 64, 64, false, 0, Masked::queries},
    {"added", 2, 2, 64, 64, 64, 64, true, 0, Masked::added},
    {"few queries", 2, 2, 5, 64, 64, 64, false, 0, Masked::not_at_all, false},
    {"odd width", 2, 2, 32, 40, 20, 20, false, 0, Masked::not_at_all, false},
};

template <class A, class B>
double far(const A& x, const B& wanted) {
  const Tensor<double> a = cast<double>(x).eval().to(Cpu{});
  const Tensor<double> b = cast<double>(wanted).eval();
  const double error = std::sqrt(sum((a - b) * (a - b)).item());
  return error / (std::sqrt(sum(b * b).item()) + 1e-6);
}

/// Against double on the CPU, from the same rounded numbers.
template <class T>
void check(const Case& c, double tolerance) {
  const std::string name = c.name;
  CAPTURE(name);
  manual_seed(3);
  const auto some = [](const Shape& shape) { return Tensor<T>(cast<T>(randn(shape))); };
  const Tensor<T> q = some({2, c.heads, c.queries, c.width});
  const Tensor<T> k = some({2, c.key_heads, c.keys, c.width});
  const Tensor<T> v = some({2, c.key_heads, c.keys, c.value_width});
  const Tensor<T> g = some({2, c.heads, c.queries, c.value_width});
  AttentionMask<double, Cpu> mask;
  AttentionMask<T, Cuda> device_mask;
  if (c.masked == Masked::added) {
    const Tensor<T> added = some({1, c.heads, c.queries, c.keys});
    mask.added = cast<double>(added);
    device_mask.added = added.to(Cuda{});
  } else if (c.masked != Masked::not_at_all) {
    const bool of_keys = c.masked == Masked::keys;
    Tensor<bool> allowed = rand({of_keys ? 2 : 1, 1, of_keys ? 1 : c.queries, c.keys}) < 0.7F;
    if (!of_keys) allowed(0, 0, 3).fill(false);  // attends to nothing
    mask.allowed = allowed;
    device_mask.allowed = allowed.to(Cuda{});
  }
  const bool grouped = c.heads != c.key_heads;
  const auto run = [&](auto device, auto zero, const auto& masks) {
    using D = decltype(device);
    using U = decltype(zero);
    const auto give = [&](const Tensor<T>& x) {
      return parameter(Tensor<U, D>(cast<U>(x).eval().to(device)));
    };
    const Var<U, D> vars[] = {give(q), give(k), give(v)};
    const Var<U, D> y = scaled_dot_product_attention(
        vars[0], vars[1], vars[2],
        {.mask = masks, .causal = c.causal, .enable_gqa = grouped, .past = c.past});
    y.backward(cast<U>(g).eval().to(device));
    return std::array<Tensor<U, D>, 4>{y.detach(), vars[0].grad(), vars[1].grad(), vars[2].grad()};
  };
  const auto wanted = run(Cpu{}, double{}, mask);
  const auto found = run(Cuda{}, T{}, device_mask);
  for (std::size_t i = 0; i < 4; ++i) {
    CAPTURE(i);
    CHECK(far(found[i], wanted[i]) < (i == 0 ? 1 : 2) * tolerance);
  }
  const Tensor<T, Cuda> a = q.to(Cuda{});
  const auto begun = weft::detail::attend<T, Cuda>(
      a, k.to(Cuda{}), v.to(Cuda{}),
      {.mask = device_mask, .causal = c.causal, .enable_gqa = grouped, .past = c.past});
  CHECK(begun.plan.by_library == c.by_library);
}
}  // namespace

TEST_CASE("[gpu] cuDNN's attention of half types, masked, causal, grouped and of odd sizes") {
  const AllToCudnn all;
  for (const Case& c : cases) {
    check<weft::half>(c, 1.5e-3);
    check<bfloat16>(c, 1.2e-2);
  }
}

TEST_CASE("[gpu] cuDNN's attention without weft::cudnn's use, of views, and in a graph") {
  const AllToCudnn small_too;
  // (batch, length, 3, head, width), as one projection gives it
  const Tensor<bfloat16, Cuda> all_of = cast<bfloat16>(randn({2, 96, 3, 4, 64}, Cuda{}));
  const auto part = [&](int i) { return all_of(all, all, i).transpose(1, 2); };
  const auto attend = [&] {
    return scaled_dot_product_attention(part(0), part(1), part(2), {.causal = true});
  };
  Tensor<bfloat16, Cuda> y = attend();
  weft::cuda::set_use_cudnn(false);
  const Tensor<bfloat16, Cuda> own = attend();
  weft::cuda::set_use_cudnn(true);
  CHECK(far(y, own.to(Cpu{})) < 1e-2);
  CHECK(y.transpose(1, 2).is_contiguous());
  const Tensor<bfloat16, Cuda> wanted = y.clone();
  auto graph = weft::cuda::capture([&] { y = attend(); });
  graph.replay();
  CHECK(equal(y, wanted));
}

TEST_CASE("[gpu] little work is weft's own") {
  const auto taken = [](int64_t batch) {
    const Tensor<bfloat16, Cuda> x = zeros<bfloat16>({batch, 4, 256, 64}, Cuda{});
    return weft::detail::attend<bfloat16, Cuda>(x, x, x, {}).plan.by_library;
  };
  CHECK(!taken(1));
  CHECK(taken(4));
}

TEST_CASE("[gpu] cuDNN's dropout keeps the mean, and its gradient the same weights") {
  const AllToCudnn small_too;
  const Var q = parameter(zeros<bfloat16>({1, 1, 128, 64}, Cuda{}));
  const Var k = parameter(zeros<bfloat16>({1, 1, 64, 64}, Cuda{}));
  const Tensor<bfloat16, Cuda> one = cast<bfloat16>(eye<float>(64, Cuda{})).eval();
  const Var v = parameter(one.reshape({1, 1, 64, 64}));
  const auto run = [&] { return scaled_dot_product_attention(q, k, v, {.dropout = 0.25}); };
  const Var y = run();
  const Tensor<double> w = cast<double>(y.detach().to(Cpu{})).eval().reshape({128, 64});
  CHECK(mean(cast<double>(w == 0.0)).item() == doctest::Approx(0.25).epsilon(0.1));
  CHECK(max(w).item() == doctest::Approx(1 / (64 * 0.75)).epsilon(0.01));
  const Tensor<double> g = cast<double>(cast<bfloat16>(randn<double>({128, 64}))).eval();
  y.backward(Tensor<bfloat16, Cuda>(cast<bfloat16>(g).eval().to(Cuda{}).reshape(y.shape())));
  CHECK(far(v.grad().reshape({64, 64}), matmul(w.t(), g).eval()) < 1e-2);
  CHECK(!equal(y.detach(), run().detach()));
  manual_seed(7);
  const Var first = run();
  manual_seed(7);
  CHECK(equal(first.detach(), run().detach()));
}
#else
TEST_CASE("this build is without cuDNN") {}
#endif
