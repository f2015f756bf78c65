#include "weft/cuda/linalg/cudnn_rnn.hpp"

#include "test.hpp"
#include "weft/cuda/gradient.hpp"
#include "weft/cuda/matmul.hpp"
#include "weft/nn.hpp"

#if defined(WEFT_CUDNN)
using namespace weft;

namespace {
template <class A, class B>
double far(const A& x, const B& wanted) {
  const Tensor<double> a = cast<double>(x.detach().to(Cpu{})).eval();
  const Tensor<double> b = cast<double>(wanted.detach().to(Cpu{})).eval();
  return std::sqrt(sum((a - b) * (a - b)).item() / (sum(b * b).item() + 1e-12));
}

/// cuDNN's results and gradients against weft's own steps.
template <class T, class Layer>
void check(Layer net, double tolerance) {
  const auto x = parameter(Tensor<T, Cuda>(cast<T>(randn({7, 3, 16}, Cuda{}))));
  const auto run = [&](bool library) {
    weft::cuda::set_use_cudnn(library);
    x.zero_grad();
    nn::zero_grad(net);
    const auto result = net(x, {}, {7, 4, 6});
    Var loss = sum(result.output * result.output);
    std::vector<Var<T, Cuda>> all{result.output};
    if constexpr (Layer::has_cell) {
      loss = loss + sum(result.state.h) + sum(result.state.c * result.state.c);
      all.push_back(result.state.h);
      all.push_back(result.state.c);
    } else {
      loss = loss + sum(result.state * result.state);
      all.push_back(result.state);
    }
    loss.backward();
    all.push_back(Var<T, Cuda>(x.grad().clone()));
    for (const auto& [name, w] : nn::named_parameters(net)) {
      all.push_back(Var<T, Cuda>(w.grad().clone()));
    }
    return all;
  };
  const auto found = run(true);
  const auto wanted = run(false);
  weft::cuda::set_use_cudnn(true);
  for (std::size_t i = 0; i < found.size(); ++i) {
    CAPTURE(i);
    CHECK(far(found[i], wanted[i]) < tolerance);
  }
}

template <class T>
bool takes(int64_t layers, int64_t width, int64_t batch) {
  RecurrentProblem p{.operation = "f",
                     .time = 4,
                     .batch = batch,
                     .in = 8,
                     .width = width,
                     .out = width,
                     .layers = layers};
  RecurrentWeightSpace space;
  return RecurrentLibrary<Cuda>::place<T>(p, Cuda{0}, space) && space.count > 0;
}
}  // namespace

TEST_CASE("[gpu] cuDNN takes recurrent layers of all types, but one that is large") {
  CHECK(takes<double>(2, 32, 4));
  CHECK(takes<float>(1, 32, 4));
  CHECK(takes<weft::half>(2, 32, 4));
  CHECK(takes<bfloat16>(2, 32, 4));
  CHECK(!takes<float>(1, 1024, 128));
}

TEST_CASE("[gpu] cuDNN's recurrent layers are weft's own") {
  manual_seed(2);
  check<float>(nn::LSTM<Cuda>(16, 24, {.num_layers = 2, .bidirectional = true}), 1e-4);
  check<float>(nn::GRU<Cuda>(16, 24, {.num_layers = 2, .bias = false}), 1e-4);
  check<float>(nn::RNN<Cuda>(16, 24, {.nonlinearity = nn::Nonlinearity::relu}), 1e-4);
  check<float>(nn::LSTM<Cuda>(16, 24, {.num_layers = 2, .proj_size = 8}), 1e-4);
  check<weft::half>(nn::LSTM<Cuda, weft::half>(16, 24, {.num_layers = 2}), 2e-2);
  check<bfloat16>(nn::GRU<Cuda, bfloat16>(16, 24, {.num_layers = 2}), 1e-1);
}

TEST_CASE("[gpu] cuDNN's layers drop between each other, in a graph, and go back twice") {
  const nn::GRU<Cuda> net(8, 16, {.num_layers = 3, .dropout = 0.5});
  const Var<float, Cuda> x = parameter(randn({5, 2, 8}, Cuda{}));
  CHECK(!equal(net(x).output.detach(), net(x).output.detach()));
  const nn::LSTM<Cuda> lstm(8, 16, {.num_layers = 2});
  const Var y = sum(lstm(x).output);
  y.backward(retain);
  const Tensor<float, Cuda> once = x.grad().clone();
  y.backward();
  CHECK(allclose(x.grad(), once * 2.0F));
  const NoGrad guard;
  Tensor<float, Cuda> z = lstm(x).output.detach();
  const Tensor<float, Cuda> wanted = z.clone();
  auto graph = weft::cuda::capture([&] { z = lstm(x).output.detach(); });
  graph.replay();
  CHECK(equal(z, wanted));
}
#else
TEST_CASE("this build is without cuDNN") {}
#endif
