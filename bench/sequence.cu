// Sequences on the GPU: attention, recurrent layers and encoders, in milliseconds, not bytes. The
// same by PyTorch: bench/rivals/torch_sequence.py.
// SPDX-License-Identifier: Apache-2.0
#include "weft/cuda/attention.hpp"
#include "weft/cuda/gradient.hpp"
#include "weft/cuda/matmul.hpp"
#include "weft/nn.hpp"
#include "weft/nn/models/bert.hpp"
#include "weft/optim.hpp"

#include "bench.hpp"

using namespace weft;
using bench::measure;

namespace {

void time(const char* name, const std::function<void()>& f) {
  std::vector<int> sets(1);
  measure(
      name, 0, sets, [&](int) { f(); }, {}, "weft", 0);
}

/// 16 heads of 4096 queries, causal, in bfloat16.
void attention(const char* name, int64_t width, bool both) {
  const auto make = [&] { return parameter(randn<bfloat16>({8, 16, 4096, width}, Cuda{})); };
  const Var q = make();
  const Var k = make();
  const Var v = make();
  const Tensor<bfloat16, Cuda> g = randn<bfloat16>(q.shape(), Cuda{});
  time(name, [&] {
    if (!both) {
      const NoGrad guard;
      (void)scaled_dot_product_attention(q, k, v, {.causal = true});
      return;
    }
    for (const auto& x : {q, k, v}) x.zero_grad();
    scaled_dot_product_attention(q, k, v, {.causal = true}).backward(g);
  });
}

/// A recurrent layer of `layers` x `width` over 64 sequences, TF32 allowed.
template <class Layer, class Options>
void recurrent(const char* name, int64_t width, int64_t batch, int64_t length, Options options,
               bool both) {
  const weft::cuda::Tf32Guard tf32;
  const Layer net(width, width, options, Cuda{});
  const Tensor<float, Cuda> x = randn({length, batch, width}, Cuda{});
  const Tensor<float, Cuda> g = randn({length, batch, width}, Cuda{});
  optim::GraphedStep step(Cuda{}, [&](const auto& input, const auto& gradient) {
    if (!both) {
      const NoGrad guard;
      return net(Var<float, Cuda>(input)).output;
    }
    nn::zero_grad(net);
    const Var y = net(Var<float, Cuda>(input)).output;
    y.backward(gradient);
    return y;
  });
  time(name, [&] { (void)step(x, g); });
}

/// A step of AdamW of an encoder of 4 layers of width 512, 32 sequences of 256, TF32 allowed.
void encoder_step(const char* name) {
  const weft::cuda::Tf32Guard tf32;
  nn::TransformerEncoder<Cuda> net(
      nn::TransformerEncoderLayer<Cuda>(512, 8, {.dim_feedforward = 2048, .batch_first = true},
                                        Cuda{}),
      4);
  nn::flatten_parameters(net);
  optim::AdamW optimizer(nn::parameters(net));
  optim::GraphedStep step(Cuda{}, [&](const auto& input) {
    optimizer.zero_grad();
    const Var y = net(Var<float, Cuda>(input));
    const Var loss = mean(y * y);
    loss.backward();
    optimizer.step();
    return loss;
  });
  const Tensor<float, Cuda> x = randn({32, 256, 512}, Cuda{});
  time(name, [&] { (void)step(x); });
}

/// all-MiniLM-L6-v2's encoder, as one graph; gelu by tanh, as PyTorch's fast path has it, whatever
/// is asked for (its products' kernels are called gelubias).
template <class T>
void minilm(const char* name, int64_t batch, int64_t length) {
  const weft::cuda::Tf32Guard tf32;
  auto config = nn::models::BertConfig::minilm_l6();
  config.hidden_act = nn::FeedForward::gelu_tanh;
  nn::models::Bert<Cuda, T> net(config, Cuda{});
  nn::eval(net);
  optim::GraphedStep step(Cuda{}, [&](const auto& ids) {
    const NoGrad guard;
    return net(ids);
  });
  const Tensor<int64_t, Cuda> ids = randint<int64_t>(0, 30000, {batch, length}, Cuda{});
  time(name, [&] { (void)step(ids); });
}

}  // namespace

int main(int argc, char** argv) {
  using Lstm = nn::LSTM<Cuda>;
  using Gru = nn::GRU<Cuda>;
  return bench::main(
      argc, argv,
      {{"attention_64", [] { attention("attention_64", 64, false); }},
       {"attention_64_both", [] { attention("attention_64_both", 64, true); }},
       {"attention_128", [] { attention("attention_128", 128, false); }},
       {"attention_128_both", [] { attention("attention_128_both", 128, true); }},
       {"lstm_2x512",
        [] {
          recurrent<Lstm>("lstm_2x512", 512, 64, 128, nn::LSTMOptions{.num_layers = 2}, false);
        }},
       {"lstm_2x512_both",
        [] {
          recurrent<Lstm>("lstm_2x512_both", 512, 64, 128, nn::LSTMOptions{.num_layers = 2}, true);
        }},
       {"gru_2x512",
        [] {
          recurrent<Gru>("gru_2x512", 512, 64, 128, nn::RecurrentOptions{.num_layers = 2}, false);
        }},
       {"gru_2x512_both",
        [] {
          recurrent<Gru>("gru_2x512_both", 512, 64, 128, nn::RecurrentOptions{.num_layers = 2},
                         true);
        }},
       {"lstm_1x1024",
        [] { recurrent<Lstm>("lstm_1x1024", 1024, 128, 64, nn::LSTMOptions{}, false); }},
       {"lstm_1x1024_both",
        [] { recurrent<Lstm>("lstm_1x1024_both", 1024, 128, 64, nn::LSTMOptions{}, true); }},
       {"encoder_step", [] { encoder_step("encoder_step"); }},
       {"minilm_1x32", [] { minilm<bfloat16>("minilm_1x32", 1, 32); }},
       {"minilm_64x128", [] { minilm<bfloat16>("minilm_64x128", 64, 128); }},
       {"minilm_256x256", [] { minilm<bfloat16>("minilm_256x256", 256, 256); }},
       {"minilm_64x128_tf32", [] { minilm<float>("minilm_64x128_tf32", 64, 128); }}});
}
