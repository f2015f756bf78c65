// SPDX-License-Identifier: Apache-2.0
#include <weft/cuda/matmul.hpp>

#include <thread>

#include "cuda/graph_nodes.hpp"
#include "matrices.hpp"

using weft::bfloat16;
using weft::Cuda;
using weft::Shape;
using weft::Tensor;
using Library = weft::Multiplier<Cuda>;

namespace {

template <class T>
Tensor<T, Cuda> random(const Shape& shape) {
  return cast<T>(weft::rand(shape, Cuda{}) * 2 - 1);
}

/// The kernels of a statement, run once before so that nothing is made at first use.
template <class F>
int kernels(F&& statement) {
  statement();
  const GraphNodes nodes = captured(statement);
  CHECK(nodes.copies == 0);
  return nodes.kernels;
}

/// How many kernels each form has beyond the product's own.
template <class T>
void check_counts(int relu_extra, int gelu_extra) {
  const auto x = random<T>({256, 128});
  const auto w = random<T>({512, 128});
  const auto b = random<T>({512});
  const auto c = random<T>({256, 512});
  const Tensor<T, Cuda> z = weft::empty<T>({256, 512}, Cuda{});
  const int alone = kernels([&] { z.assign(linear(x, w)); });
  CHECK(alone >= 1);
  CHECK(kernels([&] { z.assign(linear(x, w, b)); }) == alone);
  CHECK(kernels([&] { z.assign(2 * linear(x, w) + 3 * c); }) == alone);
  CHECK(kernels([&] { z.assign(linear(x, w, b) + c); }) == alone);
  CHECK(kernels([&] { z.assign(c + linear(x, w, b)); }) == alone);
  CHECK(kernels([&] { z.assign(linear(x, w, b) + z); }) == alone);
  CHECK(kernels([&] { z.assign(relu(linear(x, w))); }) == alone + relu_extra);
  CHECK(kernels([&] { z.assign(relu(linear(x, w, b))); }) == alone + relu_extra);
  CHECK(kernels([&] { z.assign(gelu_tanh(linear(x, w, b))); }) == alone + gelu_extra);
  CHECK(kernels([&] { z.assign(gelu(linear(x, w, b))); }) == alone + 1);
  CHECK(kernels([&] { z.assign(relu(linear(x, w, b)) * 2 + c); }) == alone + 1);
  CHECK(kernels([&] { z.assign(linear(x, w) + c.t().clone().t()); }) == alone + 2);
}

}  // namespace

TEST_CASE("which functions are asked of cuBLASLt") {
  using weft::Activation;
  using weft::Dtype;
  for (Dtype type : {Dtype::float32, Dtype::float16, Dtype::bfloat16, Dtype::float64}) {
    CHECK(Library::fuses(Activation::identity, type));
  }
  CHECK(Library::fuses(Activation::relu, Dtype::float32));
  CHECK(!Library::fuses(Activation::relu, Dtype::float64));
  CHECK(Library::fuses(Activation::gelu_tanh, Dtype::bfloat16));
  CHECK(!Library::fuses(Activation::gelu_tanh, Dtype::float32));
  const weft::cuda::Tf32Guard allowed;
  CHECK(Library::fuses(Activation::gelu_tanh, Dtype::float32));
}

TEST_CASE("an epilogue is no kernel of its own [gpu]") {
  check_counts<float>(0, 1);
  check_counts<weft::half>(0, 0);
  check_counts<bfloat16>(0, 0);
}

TEST_CASE("a transposed operand and rows of a larger matrix are not copied [gpu]") {
  const auto x = random<float>({64, 2048});
  const auto y = random<float>({64, 2048});
  const auto z = weft::empty({2048, 2048}, Cuda{});
  const int with_copy = kernels([&] { z.assign(matmul(y.t().clone(), x)); });
  CHECK(kernels([&] { z.assign(matmul(y.t(), x)); }) < with_copy);
  const auto part = random<float>({64, 3000})(weft::all, weft::slice(0, 2048));
  CHECK(kernels([&] { z.assign(matmul(y.t(), part)); }) < with_copy);
  CHECK(allclose(z, matmul(y.t(), part.clone()), {1e-5, 1e-4}));
}

TEST_CASE("TF32 only where it is allowed [gpu]") {
  const auto x = random<float>({256, 512});
  const auto y = random<float>({512, 256});
  const auto exact = matmul(cast<double>(x), cast<double>(y)).eval();
  const auto error = [&] { return max(abs(cast<double>(matmul(x, y)) - exact)).item(); };
  CHECK(error() < 1e-4);
  {
    const weft::cuda::Tf32Guard allowed;
    const double rounded = error();
    CHECK(rounded < 0.1);
    if (weft::cuda::properties().major >= 8) CHECK(rounded > 2e-4);
    const weft::cuda::Tf32Guard forbidden(false);
    CHECK(error() < 1e-4);
  }
  weft::cuda::set_allow_tf32(true);
  CHECK(error() < 0.1);
  weft::cuda::set_allow_tf32(false);
  CHECK(error() < 1e-4);
}

TEST_CASE("products in a captured graph [gpu]") {
  const Tensor<float, Cuda> x = random<float>({64, 48});
  const auto w = random<float>({48, 32});
  const auto b = random<float>({32});
  Tensor<float, Cuda> y = weft::zeros({64, 32}, Cuda{});
  weft::cuda::Graph graph = weft::cuda::capture([&] {
    y = relu(matmul(x, w) + b);
    y = softmax(matmul(y, matmul(w.t(), w)));
  });
  x.assign(random<float>({64, 48}));
  graph.replay();
  const auto hidden = relu(matmul(x, w) + b).eval();
  CHECK(allclose(y, softmax(matmul(hidden, matmul(w.t(), w).eval()))));
  const auto memory = weft::cuda::memory_allocated();
  graph.replay();
  CHECK(weft::cuda::memory_allocated() == memory);
}

TEST_CASE("a first product in a capture, of types not met before [gpu]") {
  const auto x = random<double>({40, 24});
  Tensor<double, Cuda> y = weft::zeros<double>({40, 40}, Cuda{});
  weft::cuda::Graph graph = weft::cuda::capture([&] { y = matmul(x, x.t()); });
  graph.replay();
  CHECK(allclose(y, matmul(x, x.t())));
}

TEST_CASE("other streams, and memory that is given back [gpu]") {
  const auto x = random<float>({300, 300});
  const auto expected = matmul(x, x).eval();
  weft::synchronize(Cuda{});
  const auto before = weft::cuda::memory_allocated();
  {
    const weft::cuda::StreamGuard side{weft::cuda::Stream()};
    const auto y = matmul(x, x).eval();
    CHECK(allclose(y, expected));
  }
  CHECK(weft::cuda::memory_allocated() == before);
}

TEST_CASE("two threads at once [gpu]") {
  const auto x = random<float>({200, 200});
  const auto e = matmul(x, x);
  const auto expected = e.eval();
  Tensor<float, Cuda> got[2];
  std::thread first([&] {
    for (int i = 0; i < 20; ++i) got[0] = e;
  });
  std::thread second([&] {
    for (int i = 0; i < 20; ++i) got[1] = e;
  });
  first.join();
  second.join();
  CHECK(allclose(got[0], expected));
  CHECK(allclose(got[1], expected));
}

TEST_CASE("more matrices than a call takes, and batches of two axes [gpu]") {
  const auto x = weft::ones({70000, 2, 3}, Cuda{});
  const auto y = weft::ones({70000, 3, 2}, Cuda{});
  const auto z = bmm(x, y).eval();
  CHECK(min(z).item() == 3);
  CHECK(max(z).item() == 3);
  const auto p = random<float>({3, 1, 4, 5});
  const auto q = random<float>({1, 6, 5, 7});
  const auto r = matmul(p, q).eval();
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 6; ++j) CHECK(allclose(r(i, j), matmul(p(i, 0), q(0, j)), {1e-5, 1e-5}));
  }
}

TEST_CASE("an ordinal in the type [gpu]") {
  const Tensor<float, weft::CudaAt<0>> x = weft::ones({3, 4}, weft::CudaAt<0>{});
  const Tensor<float, weft::CudaAt<0>> y = relu(matmul(x, x.t()) + weft::ones({3}, Cuda{0}));
  CHECK(y.to(weft::Cpu{}).to_vector() == std::vector<float>(9, 5));
}
