// WordPiece: the tokenizer of BERT's uncased models.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <fstream>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "weft/cpu/elementwise/for_each.hpp"
#include "weft/data/letters.hpp"
#include "weft/eval/transfer.hpp"
#include "weft/io/file.hpp"
#include "weft/tensor/factory.hpp"

namespace weft::data {

/// The tokens of several texts: their ids, and a mask that is false for padding, both (text,
/// token).
struct TokenBatch {
  Tensor<int64_t> ids;
  Tensor<bool> mask;
};

/// The tokenizer of BERT's uncased models (Devlin et al. 2018): text is lower-cased, stripped of
/// accents and split at spaces and punctuation, and each word is split greedily into the longest
/// pieces in the vocabulary. Letters other than Latin, Greek and Cyrillic are not changed.
class WordPiece {
 public:
  /// Takes the pieces in the order of their ids, including "[UNK]", "[CLS]", "[SEP]" and "[PAD]".
  /// Throws ValueError if one of these is missing.
  explicit WordPiece(std::vector<std::string> pieces) : pieces_(std::move(pieces)) {
    for (std::size_t i = 0; i < pieces_.size(); ++i) {
      numbers_.emplace(pieces_[i], static_cast<int64_t>(i));
    }
    unknown_ = number("[UNK]");
    begin_ = number("[CLS]");
    end_ = number("[SEP]");
    padding_ = number("[PAD]");
  }
  /// Reads the pieces from a file, vocab.txt, one per line. Throws FileError if it cannot be read.
  static WordPiece load(const std::string& path) {
    std::ifstream in(path);
    std::vector<std::string> pieces;
    for (std::string line; std::getline(in, line);) {
      if (!line.empty() && line.back() == '\r') line.pop_back();
      pieces.push_back(line);
    }
    if (pieces.empty()) {
      fail<FileError>("WordPiece::load", path, ": cannot be read, expected one piece per line");
    }
    return WordPiece(std::move(pieces));
  }

  const std::string& piece(int64_t number) const {
    return pieces_.at(static_cast<std::size_t>(number));
  }

  /// The ids of a text's pieces between [CLS] and [SEP], at most `most` in all.
  std::vector<int64_t> encode(std::string_view text, int64_t most = 512) const {
    std::vector<int64_t> out{begin_};
    for (const std::string& word : words(text)) append(word, out);
    if (static_cast<int64_t>(out.size()) > most - 1) {
      out.resize(static_cast<std::size_t>(std::max<int64_t>(most - 1, 1)));
    }
    out.push_back(end_);
    return out;
  }

  /// Several texts, padded to the longest.
  TokenBatch encode(const std::vector<std::string>& texts, int64_t most = 512) const {
    std::vector<std::vector<int64_t>> rows;
    std::size_t longest = 0;
    for (const std::string& text : texts) {
      rows.push_back(encode(text, most));
      longest = std::max(longest, rows.back().size());
    }
    const Shape shape{static_cast<int64_t>(rows.size()), static_cast<int64_t>(longest)};
    TokenBatch batch{full<int64_t>(shape, padding_), zeros<bool>(shape)};
    for (std::size_t i = 0; i < rows.size(); ++i) {
      std::copy(rows[i].begin(), rows[i].end(), batch.ids.data() + i * longest);
      std::fill_n(batch.mask.data() + i * longest, rows[i].size(), true);
    }
    return batch;
  }

 private:
  int64_t number(const std::string& piece) const {
    const auto found = numbers_.find(piece);
    if (found == numbers_.end()) {
      fail<ValueError>("WordPiece", "there is no ", piece, " among ", pieces_.size(), " pieces");
    }
    return found->second;
  }

  /// The code point at `at`, which moves past it; invalid UTF-8 counts as U+FFFD.
  static std::uint32_t next(std::string_view text, std::size_t& at) {
    const auto byte = [&](std::size_t i) {
      return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U;
    };
    const std::uint32_t first = byte(at++);
    if (first < 0x80) return first;
    const int more = first >= 0xF0 ? 3 : first >= 0xE0 ? 2 : first >= 0xC0 ? 1 : 0;
    std::uint32_t code = first & (0x3FU >> more);
    for (int i = 0; i < more; ++i, ++at) {
      if ((byte(at) & 0xC0U) != 0x80) return 0xFFFD;
      code = code << 6 | (byte(at) & 0x3FU);
    }
    return more > 0 ? code : 0xFFFD;
  }
  static void put(std::string& out, std::uint32_t code) {
    const auto add = [&](std::uint32_t byte) { out += static_cast<char>(byte); };
    if (code < 0x80) return add(code);
    if (code < 0x800) {
      add(0xC0 | code >> 6);
    } else {
      if (code < 0x10000) add(0xE0 | code >> 12);
      if (code >= 0x10000) add(0xF0 | code >> 18), add(0x80 | (code >> 12 & 0x3F));
      add(0x80 | (code >> 6 & 0x3F));
    }
    add(0x80 | (code & 0x3F));
  }

  static bool within(std::uint32_t c, std::uint32_t first, std::uint32_t last) {
    return c >= first && c <= last;
  }
  static bool is_space(std::uint32_t c) {
    return c == ' ' || within(c, 9, 13) || c == 0x85 || c == 0xA0 || c == 0x1680 ||
           within(c, 0x2000, 0x200A) || within(c, 0x2028, 0x2029) || c == 0x202F || c == 0x205F ||
           c == 0x3000;
  }
  /// Control and format characters, combining marks, and non-characters.
  static bool is_dropped(std::uint32_t c) {
    return c < 0x20 || within(c, 0x7F, 0x9F) || c == 0xAD || c == 0xFFFD || c == 0xFEFF ||
           within(c, 0x200B, 0x200F) || within(c, 0x202A, 0x202E) || within(c, 0x2060, 0x2064) ||
           within(c, 0x300, 0x36F) || within(c, 0x483, 0x487) || within(c, 0x1DC0, 0x1DFF);
  }
  static bool is_alone(std::uint32_t c) {
    if (c < 0x80) {
      return within(c, 33, 47) || within(c, 58, 64) || within(c, 91, 96) || within(c, 123, 126);
    }
    for (const auto& range : detail::punctuation) {
      if (within(c, range.first, range.last)) return true;
    }
    return within(c, 0x4E00, 0x9FFF) || within(c, 0x3400, 0x4DBF) || within(c, 0xF900, 0xFAFF) ||
           within(c, 0x20000, 0x2CEAF) || within(c, 0x2F800, 0x2FA1F);
  }
  static std::uint32_t plain(std::uint32_t c) {
    if (c < 0x80) return within(c, 'A', 'Z') ? c + 32 : c;
    const auto* const end = std::end(detail::plain_letters);
    const auto* const found =
        std::lower_bound(std::begin(detail::plain_letters), end, c,
                         [](const auto& pair, std::uint32_t code) { return pair.letter < code; });
    return found != end && found->letter == c ? found->plain : c;
  }

  static std::vector<std::string> words(std::string_view text) {
    std::vector<std::string> out;
    std::string word;
    const auto finish = [&] {
      if (!word.empty()) out.push_back(std::move(word));
      word.clear();
    };
    for (std::size_t at = 0; at < text.size();) {
      const std::uint32_t c = next(text, at);
      if (is_space(c)) {
        finish();
      } else if (is_dropped(c)) {
        continue;
      } else if (is_alone(c)) {
        finish();
        put(word, plain(c));
        finish();
      } else {
        put(word, plain(c));
      }
    }
    finish();
    return out;
  }

  /// The longest pieces from the left; [UNK] if there are none, and for words of more than 100
  /// characters.
  void append(const std::string& word, std::vector<int64_t>& out) const {
    const auto begins = [&](std::size_t i) {
      return i == word.size() || (static_cast<unsigned char>(word[i]) & 0xC0U) != 0x80;
    };
    std::size_t characters = 0;
    for (std::size_t i = 0; i < word.size(); ++i) characters += begins(i) ? 1 : 0;
    const std::size_t before = out.size();
    for (std::size_t at = 0; at < word.size();) {
      std::size_t end = characters > 100 ? at : word.size();
      for (; end > at; --end) {
        if (!begins(end)) continue;
        const auto found = numbers_.find((at > 0 ? "##" : "") + word.substr(at, end - at));
        if (found == numbers_.end()) continue;
        out.push_back(found->second);
        break;
      }
      if (end == at) {
        out.resize(before);
        return out.push_back(unknown_);
      }
      at = end;
    }
  }

  std::vector<std::string> pieces_;
  std::unordered_map<std::string, int64_t> numbers_;
  int64_t unknown_ = 0;
  int64_t begin_ = 0;
  int64_t end_ = 0;
  int64_t padding_ = 0;
};

}  // namespace weft::data
