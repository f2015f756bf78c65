// Layers of networks for images on the GPU: convolutions, pooling, batch norm, and whole steps.
// SPDX-License-Identifier: Apache-2.0
#include "weft/cuda/conv.hpp"
#include "weft/cuda/gradient.hpp"
#include "weft/nn.hpp"
#include "weft/nn/models/cnn.hpp"
#include "weft/nn/models/mobilenet.hpp"
#include "weft/nn/models/resnet.hpp"
#include "weft/optim.hpp"

#include "bench.hpp"

using namespace weft;
using bench::expect;
using bench::measure;

namespace {

template <class T>
Tensor<T, Cuda> numbers(const Shape& shape, bool last) {
  manual_seed(shape.size());
  const Tensor<T, Cuda> x = cast<T>(randn(shape, Cuda{}) * 0.1F);
  return last ? channels_last(x) : x;
}

struct Layer {
  const char* name;
  Shape x;
  Shape w;
  ConvOptions options;
};

/// Forward, and with `both` the gradients of image and weight too. The values must be those that
/// matrix products, or on depthwise layers the CPU's loops, give.
template <class T>
void convolution(const std::string& name, const Layer& layer, bool last, bool both) {
  const weft::cuda::Tf32Guard tf32;
  weft::cuda::set_measure_convolutions(true);
  struct Set {
    Var<T, Cuda> x;
    Var<T, Cuda> w;
    Tensor<T, Cuda> g;
    Tensor<T, Cuda> y;
  };
  std::vector<Set> sets(1);
  Set& set = sets[0];
  set.x = parameter(numbers<T>(layer.x, last));
  set.w = parameter(numbers<T>(layer.w, false));
  set.y = conv2d(set.x.detach(), set.w.detach(), layer.options);
  set.g = numbers<T>(set.y.shape(), last);
  const Tensor<float> x = cast<float>(set.x.detach()(slice(0, 2)).to(Cpu{}));
  const Tensor<float> w = cast<float>(set.w.detach().to(Cpu{}));
  const std::vector<float> wanted = conv2d(x, w, layer.options).to_vector();
  bench::Gpu<float> found = cast<float>(set.y(slice(0, 2)).contiguous());
  const double tolerance = is_half<T> ? 2e-2 : 2e-3;
  measure(
      name.c_str(), 0, sets,
      [&](Set& s) {
        if (!both) {
          s.y = conv2d(s.x.detach(), s.w.detach(), layer.options);
          return;
        }
        s.x.zero_grad();
        s.w.zero_grad();
        const Var y = conv2d(s.x, s.w, layer.options);
        y.backward(s.g);
      },
      {expect(
          found, tolerance, [&](int64_t i) { return wanted[static_cast<std::size_t>(i)]; }, true)},
      "weft", -1);
}

void convolutions() {
  const Layer layers[] = {
      {"conv3x3", {128, 64, 56, 56}, {64, 64, 3, 3}, {.padding = 1}},
      {"conv1x1", {128, 256, 56, 56}, {64, 256, 1, 1}, {}},
      {"depthwise3", {128, 96, 28, 28}, {96, 1, 3, 3}, {.padding = 1, .groups = 96}},
      {"depthwise5", {128, 240, 14, 14}, {240, 1, 5, 5}, {.padding = 2, .groups = 240}}};
  for (const Layer& layer : layers) {
    const std::string name = layer.name;
    convolution<float>(name + "_tf32", layer, false, false);
    convolution<float>(name + "_tf32_both", layer, false, true);
    convolution<bfloat16>(name + "_bf16_last", layer, true, false);
    convolution<bfloat16>(name + "_bf16_last_both", layer, true, true);
  }
}

/// relu of a convolution and its bias, which cuDNN has as one call.
template <class T>
void convolution_relu(const char* name, bool last) {
  const weft::cuda::Tf32Guard tf32;
  weft::cuda::set_measure_convolutions(true);
  struct Set {
    Tensor<T, Cuda> x;
    Tensor<T, Cuda> w = numbers<T>({64, 64, 3, 3}, false);
    Tensor<T, Cuda> b = numbers<T>({64}, false);
    Tensor<T, Cuda> y;
  };
  std::vector<Set> sets(1);
  sets[0].x = numbers<T>({128, 64, 56, 56}, last);
  if (last) sets[0].w = channels_last(sets[0].w);
  measure(
      name, 0, sets, [](Set& s) { s.y = relu(conv2d(s.x, s.w, s.b, {.padding = 1})); }, {}, "weft",
      -1);
}

void pooling() {
  struct Set {
    Var<float, Cuda> x = parameter(numbers<float>({128, 64, 112, 112}, false));
    Tensor<float, Cuda> g = numbers<float>({128, 64, 56, 56}, false);
    Tensor<float, Cuda> y;
  };
  std::vector<Set> sets(1);
  const MaxPoolOptions halves{.stride = 2, .padding = 1};
  const double bytes = static_cast<double>(sets[0].x.size()) * 4 * 1.25;
  measure("max_pool3", bytes, sets, [&](Set& s) { s.y = max_pool2d(s.x.detach(), 3, halves); }, {});
  measure("max_pool3_both", 2 * bytes, sets,
          [&](Set& s) {
            s.x.zero_grad();
            const Var y = max_pool2d(s.x, 3, halves);
            y.backward(s.g);
          },
          {});
}

template <class T>
void norm(const char* name, bool last) {
  struct Set {
    nn::BatchNorm2d<Cuda, T> norm{64};
    Var<T, Cuda> x;
    Tensor<T, Cuda> g;
  };
  std::vector<Set> sets(1);
  sets[0].x = parameter(numbers<T>({128, 64, 112, 112}, last));
  sets[0].g = numbers<T>({128, 64, 112, 112}, last);
  const double bytes = static_cast<double>(sets[0].x.size()) * sizeof(T) * 8;
  measure(name, bytes, sets,
          [](Set& s) {
            s.x.zero_grad();
            nn::zero_grad(s.norm);
            const Var y = s.norm.relu(s.x);
            y.backward(s.g);
          },
          {});
}

/// A training step of a network as one graph.
template <class Net>
void step(const char* name, Net net, const Shape& images, int64_t classes, bool last) {
  const weft::cuda::Tf32Guard tf32;
  weft::cuda::set_measure_convolutions(true);
  if (last) nn::channels_last(net);
  nn::flatten_parameters(net);
  optim::SGD optimizer(nn::parameters(net), {.lr = 1e-3, .momentum = 0.9});
  const Tensor<float, Cuda> x = numbers<float>(images, last);
  const Tensor<int64_t, Cuda> labels = arange<int64_t>(images[0], Cuda{}) % classes;
  const auto train = [&](const auto& a, const auto& b) {
    const Var in = last ? Var(channels_last(a)) : Var(a);
    const Var loss = cross_entropy(net(in), b);
    optimizer.zero_grad();
    loss.backward();
    optimizer.step();
    return loss;
  };
  train(x, labels);
  weft::cuda::synchronize();
  weft::cuda::reset_peak_memory_stats();
  train(x, labels);
  weft::cuda::synchronize();
  std::printf("{\"memory\": \"%s\", \"who\": \"weft\", \"mib\": %.1f}\n", name,
              static_cast<double>(weft::cuda::max_memory_allocated()) / (1 << 20));
  optim::GraphedStep run(Cuda{}, train);
  for (int i = 0; i < 4; ++i) run(x, labels);
  std::vector<int> sets(1);
  measure(
      name, 0, sets, [&](int) { run(x, labels); }, {}, "weft", 0);
}

}  // namespace

int main(int argc, char** argv) {
  namespace models = nn::models;
  return bench::main(
      argc, argv,
      {{"convolutions", convolutions},
       {"convolution_relu",
        [] {
          convolution_relu<float>("conv3x3_relu_tf32", false);
          convolution_relu<bfloat16>("conv3x3_relu_bf16_last", true);
        }},
       {"max_pool", pooling},
       {"batch_norm_relu",
        [] {
          norm<float>("batch_norm_relu", false);
          norm<float>("batch_norm_relu_last", true);
        }},
       {"cnn_step",
        [] {
          step("cnn_step", models::Cnn<Cuda>({.channels = 3, .size = 32}), {256, 3, 32, 32}, 10,
               false);
        }},
       {"mobilenet_step",
        [] {
          step("mobilenet_step", models::mobilenet_v3_small<Cuda>({.classes = 10}),
               {256, 3, 32, 32}, 10, false);
          step("mobilenet_step_last", models::mobilenet_v3_small<Cuda>({.classes = 10}),
               {256, 3, 32, 32}, 10, true);
        }},
       {"resnet18_step", [] {
          step("resnet18_step", models::resnet18<Cuda>({}), {64, 3, 224, 224}, 1000, false);
          step("resnet18_step_last", models::resnet18<Cuda>({}), {64, 3, 224, 224}, 1000, true);
        }}});
}
