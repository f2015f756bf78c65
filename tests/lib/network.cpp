// A convolutional network learns for a few steps, and says its losses: the same bits by the headers
// alone and with weft::lib, and with the library no kernel is compiled here (see
// compiled_parts.py). SPDX-License-Identifier: Apache-2.0
#ifdef __CUDACC__
#include <weft/cuda.hpp>
#include <weft/cuda/conv.hpp>
#include <weft/cuda/gradient.hpp>
#else
#include <weft/weft.hpp>
#endif

#include <weft/nn.hpp>
#include <weft/optim.hpp>

#include <cmath>
#include <cstdio>
#include <cstring>

using namespace weft;

template <class D>
struct Net {
  nn::Conv2d<D> conv1, conv2;
  nn::BatchNorm2d<D> norm;
  nn::Linear<D> fc1, fc2;
  nn::Dropout dropout{0.1};

  explicit Net(D device)
      : conv1(1, 8, 3, {.padding = 1}, device),
        conv2(8, 8, 3, {.padding = 1}, device),
        norm(8, {}, device),
        fc1(32, 16, {}, device),
        fc2(16, 10, {}, device) {}
  auto fields() {
    return nn::fields("conv1", conv1, "conv2", conv2, "norm", norm, "fc1", fc1, "fc2", fc2,
                      "dropout", dropout);
  }
  Var<float, D> operator()(const Var<float, D>& x) const {
    const Var<float, D> a = max_pool2d(relu(conv1(x)), 2);
    const Var<float, D> b = max_pool2d(norm.relu(conv2(a)), 2);
    return fc2(dropout(relu(fc1(nn::Flatten{}(b)))));
  }
};

template <class D>
int run(D device) {
  manual_seed(1);
  Net<D> net(device);
  nn::flatten_parameters(net);
  optim::AdamW optimizer(nn::parameters(net), {.lr = 1e-2});
  std::vector<float> pixels;
  std::vector<int64_t> classes;
  for (int i = 0; i < 64 * 64; ++i) pixels.push_back(std::sin(static_cast<float>(i * i % 97)));
  for (int i = 0; i < 64; ++i) classes.push_back(i % 10);
  const Tensor<float, D> x = channels_last(tensor(pixels, {64, 1, 8, 8}).to(device));
  const Tensor<int64_t, D> y = tensor(classes).to(device);
  float first = 0;
  float loss = 0;
  for (int step = 0; step < 8; ++step) {
    const Var<float, D> found = cross_entropy(net(Var<float, D>(x)), y);
    optimizer.zero_grad();
    found.backward();
    optimizer.step();
    loss = found.item();
    if (step == 0) first = loss;
    std::printf("%a\n", static_cast<double>(loss));
  }
  nn::eval(net);
  const NoGrad guard;
  const auto right = count_nonzero(argmax(net(Var<float, D>(x)).value(), axis(1)) == y).item();
  std::printf("%d of 64\n", static_cast<int>(right));
  return loss < first ? 0 : 1;
}

int main(int argc, [[maybe_unused]] char** argv) {
#ifdef __CUDACC__
  if (argc > 1 && std::strcmp(argv[1], "cuda") == 0) return run(Cuda{});
#endif
  return argc > 1 ? 2 : run(Cpu{});
}
