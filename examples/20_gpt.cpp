// Text generation: a small GPT learns the characters of a text, and continues it.
// SPDX-License-Identifier: Apache-2.0
#include "checkpoint.hpp"
#include "example.hpp"

#include <weft/models.hpp>
#include <weft/optim.hpp>
#include <weft/track.hpp>

#include <chrono>
#include <cmath>
#include <fstream>
#include <iterator>

using namespace weft;

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

  constexpr int64_t length = 64;
  constexpr int64_t room = 256;
  nn::models::Gpt<D> model({.vocab_size = static_cast<int64_t>(alphabet.size()),
                            .n_positions = room,
                            .n_embd = 64,
                            .n_layer = 2,
                            .n_head = 4,
                            .dropout = 0},
                           device);
  nn::flatten_parameters(model);
  std::printf("%lld parameters\n", static_cast<long long>(nn::count(model)));
  optim::AdamW optimizer(nn::parameters(model), {.lr = 3e-3});
  optim::GraphedStep step(device, [&](auto& x, auto& y) {
    const Var loss = cross_entropy(model(x).reshape({x.size(), -1}), y.flatten());
    optimizer.zero_grad();
    loss.backward();
    optimizer.step();
    return loss;
  });
  constexpr int each = 50;
  float loss = 0;
  const example::Checkpoint checkpoint(is_cuda<D> ? "gpt_cuda" : "gpt_cpu");
  const int done = checkpoint.load("net", model, "optimizer", optimizer);
  for (int i = done; i < 4; ++i) {
    auto total = zeros({}, device);
    for ([[maybe_unused]] const auto j : progress(each, {.label = "training"})) {
      const Tensor first = randint<int64_t>(0, all_codes.size() - length, {16}, device);
      const Tensor places = first.unsqueeze(1) + arange<int64_t>(length, device);
      const Tensor next = places + 1;
      total += step(take(all_codes, places, axis(0)), take(all_codes, next, axis(0)));
    }
    loss = total.item() / each;
    std::printf("step %3d   loss %.3f\n", (i + 1) * each, static_cast<double>(loss));
    checkpoint.save(i + 1, "net", model, "optimizer", optimizer);
  }
  nn::eval(model);
  const auto start = std::chrono::steady_clock::now();
  const Tensor begin = all_codes(slice(0, 32)).unsqueeze(0);
  const Tensor written =
      model.generate(begin, room - 32, {.temperature = 0.7, .top_k = 20}).to(Cpu{});
  const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
  for (const int64_t code : written.to_vector()) {
    std::cout << alphabet[static_cast<std::size_t>(code)];
  }
  std::printf("\n%.0f characters a second\n", static_cast<double>(room - 32) / time.count());
  const bool learned = done == 4 || loss < 0.7F * std::log(static_cast<float>(alphabet.size()));
  return example::check("the next character is no longer a guess", learned) ? 0 : 1;
}

int main(int argc, char** argv) {
  const std::string file = example::path_of(argc, argv, "README.md");
  std::ifstream in(file, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  if (text.size() <= 256) {
    std::cerr << file << ": no text that could be learned from\n";
    return 1;
  }
  return example::main(argc, argv, [&](auto device) { return run(text, device); });
}
