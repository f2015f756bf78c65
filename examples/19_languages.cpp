// Sequences: the language of a word, recognised by a hand-written recurrent network and by an LSTM.
// SPDX-License-Identifier: Apache-2.0
#include "checkpoint.hpp"
#include "example.hpp"

#include <weft/data.hpp>
#include <weft/nn.hpp>
#include <weft/optim.hpp>
#include <weft/track.hpp>
#ifdef __CUDACC__
#include <weft/data/cuda.hpp>
#endif

#include <fstream>
#include <sstream>

using namespace weft;

constexpr int64_t longest = 16;  // bytes of a word
constexpr int64_t states = 128;

/// The guides' network: the state and the next letter side by side through one layer.
template <class D>
struct ByHand {
  nn::Embedding<D> letters{256, 32};
  nn::Linear<D> next{32 + states, states}, out{states, 5};
  auto fields() { return nn::fields("letters", letters, "next", next, "out", out); }
  Var<float, D> operator()(const auto& words, const auto& lengths) const {
    const Var x = letters(words);  // (word, letter, vector)
    Var<float, D> h = zeros({words.size(0), states}, words.device());
    for (int64_t t = 0; t < longest; ++t) {
      const Var there = tanh(next(cat(std::vector{x(all, t), h}, axis(1))));
      h = where(lengths.unsqueeze(1) > t, there, h);
    }
    return out(h);
  }
};

template <class D>
struct WithLstm {
  nn::Embedding<D> letters{256, 32};
  nn::LSTM<D> lstm{32, states, {.batch_first = true}};
  nn::Linear<D> out{states, 5};
  auto fields() { return nn::fields("letters", letters, "lstm", lstm, "out", out); }
  Var<float, D> operator()(const auto& words, const auto& lengths) const {
    return out(lstm(letters(words), {}, lengths).state.h(0));
  }
};

/// The words of each line or file, up to a maximum number, as bytes padded with zeros.
struct Words {
  std::vector<int64_t> bytes, lengths, languages;
  void read(std::istream& in, int64_t language, std::size_t most) {
    std::vector<std::string> words;
    for (std::string word; in >> word;) {
      const bool fits = word.size() > 1 && word.size() <= longest;
      if (fits && word.find('\'') == std::string::npos) words.push_back(word);
    }
    const std::vector<int64_t> order = permutation(static_cast<int64_t>(words.size())).to_vector();
    for (std::size_t i = 0; i < std::min(most, words.size()); ++i) {
      const std::string& word = words[static_cast<std::size_t>(order[i])];
      for (std::size_t k = 0; k < longest; ++k) {
        bytes.push_back(k < word.size() ? static_cast<unsigned char>(word[k]) : 0);
      }
      lengths.push_back(static_cast<int64_t>(word.size()));
      languages.push_back(language);
    }
  }
};

template <class Net, class D>
double train(const char* name, Net net, const example::Checkpoint& checkpoint, const auto& known,
             const auto& asked, int epochs, D device) {
  nn::flatten_parameters(net);
  optim::AdamW optimizer(nn::parameters(net), {.lr = 2e-3});
  optim::GraphedStep step(device, [&](auto& words, auto& lengths, auto& languages) {
    const Var loss = cross_entropy(net(words, lengths), languages);
    optimizer.zero_grad();
    loss.backward();
    optim::clip_grad_norm(nn::parameters(net), 1.0);
    optimizer.step();
    return loss;
  });
  data::DataLoader batches(known, {.batch_size = 64, .shuffle = true, .drop_last = true});
  data::DataLoader queries(asked, {.batch_size = 500});
  optim::Schedule schedule(optimizer, optim::CosineAnnealingLR{epochs * batches.size()});
  const int done = checkpoint.load("net", net, "optimizer", optimizer, "schedule", schedule);
  batches.seek(done);
  double accuracy = 0;
  for (int epoch = done + 1; epoch <= epochs; ++epoch) {
    for (auto [words, lengths, languages] : progress(batches.to(device), {.label = name})) {
      step(words, lengths, languages);
      schedule.step();
    }
    checkpoint.save(epoch, "net", net, "optimizer", optimizer, "schedule", schedule);
  }
  const NoGrad guard;
  for (auto [words, lengths, languages] : queries.to(device)) {
    const Tensor told = argmax(net(words, lengths).value(), axis(1));
    accuracy += static_cast<double>(count_nonzero(told == languages).item());
  }
  accuracy /= static_cast<double>(asked.size());
  std::printf("%s: %.1f %% of %lld words\n", name, 100 * accuracy,
              static_cast<long long>(asked.size()));
  return accuracy;
}

int main(int argc, char** argv) {
  // Debian: wamerican, wngerman, wfrench, witalian and wspanish; else a few hundred common words.
  const std::string folder = example::path_of(argc, argv, "/usr/share/dict");
  return example::main(argc, argv, [&](auto device) {
    manual_seed(1);
    Words words;
    int64_t language = 0;
    for (const char* file : {"american-english", "ngerman", "french", "italian", "spanish"}) {
      std::ifstream in(folder + "/" + file);
      words.read(in, language++, 20000);
    }
    const bool real = words.languages.size() == 100000;
    if (!real) {
      words = {};
      std::ifstream in("examples/data/words.txt");
      language = 0;
      for (std::string line; std::getline(in, line);) {
        std::istringstream one(line.substr(line.find(' ')));
        words.read(one, language++, 1000);
      }
    }
    const auto count = static_cast<int64_t>(words.languages.size());
    const Tensor order = permutation(count);
    const auto x = take(tensor(words.bytes, {count, longest}), order, axis(0)).eval();
    const auto n = take(tensor(words.lengths), order, axis(0)).eval();
    const auto y = take(tensor(words.languages), order, axis(0)).eval();
    const auto first = slice(0, count * 9 / 10), rest = slice(count * 9 / 10, count);
    const data::TensorDataset known(x(first), n(first), y(first)), asked(x(rest), n(rest), y(rest));
    const int epochs = real ? 5 : 30;
    const double goal = real ? 0.80 : 0.3;
    const std::string here = is_cuda<decltype(device)> ? "languages_cuda" : "languages_cpu";
    const example::Checkpoint first_run(here + "_by_hand"), second_run(here + "_lstm");
    const double by_hand =
        train("by hand", nn::to(ByHand<Cpu>(), device), first_run, known, asked, epochs, device);
    const double lstm =
        train("LSTM", nn::to(WithLstm<Cpu>(), device), second_run, known, asked, epochs, device);
    const bool one = example::check("the network by hand tells languages", by_hand > goal);
    return example::check("the LSTM tells languages", lstm > goal) && one ? 0 : 1;
  });
}
