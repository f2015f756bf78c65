// Twenty statements of all families: what explain() estimates, and what they take. calibrate.py
// --statements builds and runs this; each line has a name and seconds: bound, estimate, measured.
// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "weft/cuda.hpp"
#include "weft/explain.hpp"

using namespace weft;

namespace {

double budget = 0.02;

template <class E>
void compare(const char* name, const E& e) {
  auto y = e.eval();
  const Explanation explained = explain(e);
  const Profile p = on_cuda::profile([&] { y.assign(e); }, explained, {.seconds = budget});
  double most = 0;
  const char* limit = "";
  for (const Explanation::Kernel& kernel : explained.kernels) {
    if (kernel.estimate.seconds <= most) continue;
    most = kernel.estimate.seconds;
    limit = kernel.estimate.limit();
  }
  std::printf("statement %s %.4g %.4g %.4g %d %s\n", name, p.expected, p.estimate, p.seconds,
              explained.kernel_count(), limit);
  std::fflush(stdout);
}

Tensor<float, Cuda> values(std::initializer_list<std::int64_t> sizes, float from = 0.1F) {
  std::int64_t n = 1;
  for (const std::int64_t size : sizes) n *= size;
  return linspace(from, from + 1, n).to(Cuda{}).reshape(Shape(sizes));
}

}  // namespace

int main(int count, char** arguments) {
  if (!on_cuda::is_available()) {
    std::fprintf(stderr, "no GPU\n");
    return 77;
  }
  if (count > 1 && std::strcmp(arguments[1], "--short") == 0) budget = 0.006;
  const auto x = values({8192, 8192});
  const auto y = values({8192, 8192}, 0.3F);
  const auto b = values({8192});
  const auto w = values({8192}, 0.5F);
#if !defined(PART) || PART == 0
  compare("copy", x * 1.5F);
  compare("chain", tanh(x * y + b) * exp(-x * x) + 0.5F);
  compare("pow", pow(x, y));
  compare("gelu", gelu(x) + y);
  compare("small_add", values({1 << 16}) + 1.0F);
  compare("medium_mul", values({1 << 22}) * 2.0F + 1.0F);
  compare("log_sin", log(x) * sin(y) + erf(x));
  const auto h = x.to<half>().eval();
  compare("half_silu", silu(h) * h);
  const auto d = values({4096, 4096}).to<double>().eval();
  compare("double_exp", exp(d) + d);
  compare("transpose_add", x.t() + y);
#endif
#if !defined(PART) || PART == 1
  compare("sum_rows", sum(x, axis(1)));
  compare("sum_columns", sum(x, axis(0)));
  compare("sum_all", sum(x * y));
  compare("max_narrow", max(x.reshape({1 << 20, 64}), axis(1)));
  compare("softmax_8k", softmax(x, axis(-1)));
  compare("layer_norm", layer_norm(x, w, b));
  compare("softmax_64", softmax(x.reshape({1 << 20, 64}), axis(-1)));
  compare("softmax_long", softmax(x.reshape({64, 1 << 20}), axis(-1)));
  compare("softmax_columns", softmax(x, axis(0)));
  compare("center_columns", x - mean(x, axis(0)));
  const auto index = (arange<int>(8192) * 37 % 8192).eval().to(Cuda{});
  compare("gather_rows", index_select(x, index, axis(0)) * 2.0F);
#endif
  return 0;
}
