// A small language model: characters of a text file, each predicted from the ones before it.
// SPDX-License-Identifier: Apache-2.0
#include "checkpoint.hpp"
#include "example.hpp"

#include <weft/nn.hpp>
#include <weft/optim.hpp>

#include <cmath>
#include <fstream>
#include <iterator>

using namespace weft;

constexpr int64_t window = 8;

/// Bengio et al. (2003): the last characters' vectors side by side, followed by two layers.
template <class D>
struct Model {
  nn::Embedding<D> letters;
  nn::Linear<D> hidden, out;
  auto fields() { return nn::fields("letters", letters, "hidden", hidden, "out", out); }
  Var<float, D> operator()(
      const Tensor<int64_t, D>& x) const {  // (text, character) -> (text, class)
    return out(tanh(hidden(letters(x).reshape({x.size(0), -1}))));
  }
};

/// Continues a text, each character drawn with the probability that the model gives it.
template <class D>
std::string continued(const Model<D>& model, std::vector<int64_t> text, const std::string& alphabet,
                      D device) {
  const NoGrad guard;
  std::string out;
  for (int i = 0; i < 200; ++i) {
    const Tensor last = tensor(std::vector<int64_t>(text.end() - window, text.end()));
    const Tensor chances = softmax(model(last.to(device).unsqueeze(0)).detach() * 1.5F);
    const Tensor reached = cumsum(chances.to(Cpu{}), axis(1));
    const int64_t most = static_cast<int64_t>(alphabet.size()) - 1;
    const int64_t next = count_nonzero(reached < rand({}).item()).item();
    text.push_back(std::min(next, most));
    out += alphabet[static_cast<std::size_t>(text.back())];
  }
  return out;
}

template <class D>
int run(const std::string& text, D device) {
  manual_seed(1);
  std::string alphabet;
  for (const char c : text) {
    if (alphabet.find(c) == std::string::npos) alphabet += c;
  }
  std::vector<int64_t> codes;
  for (const char c : text) codes.push_back(static_cast<int64_t>(alphabet.find(c)));
  const Tensor all_codes = tensor(codes).to(device);
  const auto classes = static_cast<int64_t>(alphabet.size());

  Model<D> model{{classes, 16}, {16 * window, 128}, {128, classes}};
  nn::flatten_parameters(model);
  optim::AdamW optimizer(nn::parameters(model), {.lr = 5e-3});
  optim::GraphedStep step(device, [&](auto& x, auto& y) {
    const Var loss = cross_entropy(model(x), y);
    optimizer.zero_grad();
    loss.backward();
    optimizer.step();
    return loss;
  });
  constexpr int steps = 500;
  constexpr int each = 100;
  float loss = 0;
  const example::Checkpoint checkpoint(is_cuda<D> ? "characters_cuda" : "characters_cpu");
  const int done = checkpoint.load("net", model, "optimizer", optimizer);
  for (int i = done * each; i < steps; i += each) {
    auto total = zeros({}, device);
    for (int j = 0; j < each; ++j) {
      const Tensor first = randint<int64_t>(0, all_codes.size() - window, {128}, device);
      const Tensor places = first.unsqueeze(1) + arange<int64_t>(window, device);
      total += step(take(all_codes, places, axis(0)), take(all_codes, first + window, axis(0)));
    }
    loss = total.item() / each;
    std::printf("step %3d   loss %.3f\n", i + each, loss);
    checkpoint.save(i / each + 1, "net", model, "optimizer", optimizer);
  }
  std::cout << "..." << continued(model, codes, alphabet, device) << "...\n";
  const bool learned = done * each == steps || loss < 0.6F * std::log(static_cast<float>(classes));
  return example::check("the next character is no longer a guess", learned) ? 0 : 1;
}

int main(int argc, char** argv) {
  const std::string file = example::path_of(argc, argv, "README.md");
  std::ifstream in(file, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  if (text.size() <= static_cast<std::size_t>(2 * window)) {
    std::cerr << file << ": no text that could be learned from\n";
    return 1;
  }
  return example::main(argc, argv, [&](auto device) { return run(text, device); });
}
