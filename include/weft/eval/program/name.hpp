// The name of an expression, such as add(mul(tanh(float), float), number), derived from its type.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/core/error.hpp"

namespace weft::detail {

/// How messages name an evaluation: by its outermost operation and by the expression's type as the
/// compiler spells it.
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

/// Rewrites the compiler's spelling of an expression type as calls. Only tensors and numbers are
/// known by name; for any other template, the last argument in snake_case before the operands names
/// the operation or, if there is none, the template itself.
class NameReader {
 public:
  NameReader(const char* at, const char* operation) : at_(at), operation_(operation) {}

  WEFT_ONCE void expression(Text& out) {
    const Word node = identifier();
    const bool has_arguments = *at_ == '<';
    if (has_arguments) ++at_;
    if (has_arguments && node.is("Scalar")) {
      out += "number";
    } else if (has_arguments && node.is("Tensor")) {
      identifier().append_to(out);
    } else {
      const Word named = has_arguments ? operation() : Word{};
      if (named.first != nullptr) {
        named.append_to(out);
      } else if (operation_ != nullptr) {
        out += operation_;
      } else {
        node.append_in_snake_case(out);
      }
      operation_ = nullptr;
      if (!has_arguments) return;
      out += '(';
      operands(out);
      out += ')';
    }
    while (*at_ != '>' && *at_ != '\0') skip_argument();
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
    bool is_node() const { return *first >= 'A' && *first <= 'Z' && !is("Dual"); }
    void append_to(Text& out) const {
      for (const char* p = first; p != last; ++p) out += *p;
    }
    void append_in_snake_case(Text& out) const {
      for (const char* p = first; p != last; ++p) {
        const bool capital = *p >= 'A' && *p <= 'Z';
        if (capital && p != first) out += '_';
        out += capital ? static_cast<char>(*p - 'A' + 'a') : *p;
      }
    }
  };

  /// Finds the argument that names the operation; `first` is null if there is none.
  [[gnu::cold]] Word operation() {
    const char* const start = at_;
    Word found{};
    while (*at_ != '>' && *at_ != '\0') {
      const Word word = identifier();
      if (word.first == word.last || word.is_node()) break;
      found = word;
      skip_argument();
    }
    at_ = start;
    return found;
  }
  [[gnu::cold]] void operands(Text& out) {
    int count = 0;
    while (*at_ != '>' && *at_ != '\0') {
      const char* const start = at_;
      const Word word = identifier();
      if (word.first != word.last && word.is_node()) {
        at_ = start;
        if (count++ > 0) out += ", ";
        expression(out);
      }
      skip_argument();
    }
  }

  /// The next name without its namespaces.
  [[gnu::cold]] Word identifier() {
    while (*at_ == ' ') ++at_;
    Word word{at_, at_};
    for (;; ++at_) {
      const char c = *at_;
      const bool letter =
          (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
      if (c == ':') {
        word.first = at_ + 1;
      } else if (c == '{' || c == '(') {  // an anonymous namespace
        while (*at_ != '}' && *at_ != ')') ++at_;
      } else if (!letter) {
        break;
      }
    }
    word.last = at_;
    return word;
  }
  /// Moves to the next argument, or to the > after the last one.
  void skip_argument() {
    int depth = 0;
    for (; *at_ != '\0'; ++at_) {
      depth += *at_ == '<';
      if (depth == 0 && (*at_ == '>' || *at_ == ']' || *at_ == ';')) return;
      if (depth == 0 && *at_ == ',') {
        ++at_;
        return;
      }
      depth -= *at_ == '>';
    }
  }

  const char* at_;
  const char* operation_;  // the outermost node's text
};

/// "add(mul(float, float), number)"
WEFT_ONCE inline Text text(const Name& name) {
  Text out;
  const char* at = name.type;
  while (at != nullptr && *at != '\0' && !(at[0] == 'E' && at[1] == ' ' && at[2] == '=')) ++at;
  if (at == nullptr || *at == '\0') {
    out += name.operation;
  } else {
    NameReader(at + 3, name.operation).expression(out);
  }
  return out;
}

}  // namespace weft::detail
