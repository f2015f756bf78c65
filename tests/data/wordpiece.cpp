#include "weft/data/wordpiece.hpp"

#include <filesystem>
#include <sstream>

#include "test.hpp"

using namespace weft;

namespace {
std::vector<std::string> split(const std::string& line) {
  std::istringstream in(line);
  std::vector<std::string> out;
  for (std::string word; in >> word;) out.push_back(word);
  return out;
}
std::string unescaped(std::string text) {
  for (const auto& [from, to] : {std::pair{"\\t", "\t"}, {"\\n", "\n"}}) {
    for (std::size_t at = 0; (at = text.find(from)) != std::string::npos;) text.replace(at, 2, to);
  }
  return text;
}
}  // namespace

TEST_CASE("pieces are those of Hugging Face's tokenizer") {
  // Written by scripts/make_wordpiece_vectors.py.
  std::ifstream in(std::filesystem::path(__FILE__).parent_path() / "wordpiece.txt");
  std::string line;
  std::getline(in, line);
  const data::WordPiece tokenizer(split(line));
  int sentences = 0;
  for (std::string expected; std::getline(in, line) && std::getline(in, expected); ++sentences) {
    CAPTURE(line);
    std::string found;
    for (const int64_t id : tokenizer.encode(unescaped(line), 1000)) {
      found += (found.empty() ? "" : " ") + tokenizer.piece(id);
    }
    CHECK(found == expected);
  }
  CHECK(sentences == 11);
}

TEST_CASE("texts are cut, and padded to the longest") {
  const data::WordPiece tokenizer({"[PAD]", "[UNK]", "[CLS]", "[SEP]", "a", "##b", "c"});
  CHECK(tokenizer.encode("ab C abb z") == std::vector<int64_t>{2, 4, 5, 6, 4, 5, 5, 1, 3});
  CHECK(tokenizer.encode("ab C", 3) == std::vector<int64_t>{2, 4, 3});
  CHECK(tokenizer.encode("\xC3\x28 \xFF a\xCC\x81") == std::vector<int64_t>{2, 1, 4, 3});
  const auto [ids, mask] = tokenizer.encode(std::vector<std::string>{"c", "ab"});
  CHECK(equal(ids, tensor<int64_t>({{2, 6, 3, 0}, {2, 4, 5, 3}})));
  CHECK(equal(mask, tensor<int64_t>({{1, 1, 1, 0}, {1, 1, 1, 1}}) == int64_t{1}));
  CHECK_SAYS("there is no [PAD] among 3", data::WordPiece({"[UNK]", "[CLS]", "[SEP]"}));
  CHECK_SAYS("/nowhere/vocab.txt: cannot be read", data::WordPiece::load("/nowhere/vocab.txt"));
}
