// The name of an expression, such as add(mul(tanh(float), float), number), read off its type.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/core/error.hpp"

namespace weft::detail {

/// What messages call an evaluation: its outermost operation, and the whole expression's type as
/// the compiler writes it.
struct Name {
  const char* operation;
  const char* type = nullptr;
};

template <class E>
constexpr const char* type_text() {
  return __PRETTY_FUNCTION__;
}

template <class E>
constexpr Name name_of() {
  if constexpr (requires { E::text; }) {
    return {E::text, type_text<E>()};
  } else {
    return {"copy", type_text<E>()};
  }
}

/// Rewrites the compiler's spelling of an expression type as calls.
class NameReader {
 public:
  explicit NameReader(const char* at) : at_(at) {}

  [[gnu::cold, gnu::noinline]] void expression(Text& out) {
    const Word word = identifier();
    const bool map = word.is("Map");
    const bool fused = word.is("Fused");
    if (*at_ != '<' ||
        !(map || fused || word.is("Reduce") || word.is("Scan") || word.is("Gather") ||
          word.is("Product") || word.is("Tensor") || word.is("Scalar"))) {
      out += word.is("Positions") ? "positions" : "?";
      return skip_arguments();
    }
    ++at_;
    if (word.is("Scalar")) {
      out += "number";
    } else if (word.is("Tensor")) {
      identifier().append_to(out);
      skip_arguments();
    } else {
      if (map) {  // its first argument is the element type
        identifier();
        skip_arguments();
        separator();
      }
      if (fused) {
        out += "fuse";
      } else {
        identifier().append_to(out);
        skip_arguments();
      }
      out += '(';
      for (int n = 0; (fused && n == 0) || separator(); ++n) {
        if (n > 0) out += ", ";
        expression(out);
      }
      out += ')';
    }
    while (*at_ != '>' && *at_ != '\0') ++at_;
    if (*at_ == '>') ++at_;
  }

 private:
  struct Word {
    const char* first;
    const char* last;
    bool is(const char* other) const {
      const char* p = first;
      for (; p != last; ++p, ++other) {
        if (*other != *p) return false;
      }
      return *other == '\0';
    }
    void append_to(Text& out) const {
      for (const char* p = first; p != last; ++p) out += *p;
    }
  };

  /// The next name without its namespaces.
  Word identifier() {
    while (*at_ == ' ') ++at_;
    Word word{at_, at_};
    for (;; ++at_) {
      const char c = *at_;
      const bool letter =
          (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
      if (c == ':') {
        word.first = at_ + 1;
      } else if (!letter) {
        break;
      }
    }
    word.last = at_;
    return word;
  }
  /// Skips what stands between < and >, if anything, and qualifiers behind it.
  void skip_arguments() {
    int depth = 0;
    for (; *at_ != '\0'; ++at_) {
      depth += *at_ == '<';
      if (depth == 0 && (*at_ == ',' || *at_ == '>' || *at_ == ']' || *at_ == ';')) return;
      depth -= *at_ == '>';
    }
  }
  bool separator() {
    if (*at_ != ',') return false;
    ++at_;
    return true;
  }

  const char* at_;
};

/// "add(mul(float, float), number)"
[[gnu::cold, gnu::noinline]] inline Text text(const Name& name) {
  Text out;
  const char* at = name.type;
  while (at != nullptr && *at != '\0' && !(at[0] == 'E' && at[1] == ' ' && at[2] == '=')) ++at;
  if (at == nullptr || *at == '\0') {
    out += name.operation;
  } else {
    NameReader(at + 3).expression(out);
  }
  return out;
}

}  // namespace weft::detail
