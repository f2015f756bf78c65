// The formulas of einsum: which axes have which names, and what the result has.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/core/axes.hpp"

namespace weft::detail {

/// The names of an operand's axes: letters, and digits for the axes of `...`, counted from the
/// right.
struct EinsumTerm {
  int rank = 0;
  char name[2 * max_rank] = {};

  int find(char which) const {
    for (int i = 0; i < rank; ++i) {
      if (name[i] == which) return i;
    }
    return -1;
  }
  void push_back(char which) { name[rank++] = which; }
  void erase(int at) {
    --rank;
    for (int i = at; i < rank; ++i) name[i] = name[i + 1];
  }
  friend EinsumTerm operator+(EinsumTerm a, const EinsumTerm& b) {
    for (int i = 0; i < b.rank; ++i) a.push_back(b.name[i]);
    return a;
  }
};

/// A formula read against the shapes of its operands.
struct EinsumFormula {
  static constexpr int most_operands = 8;
  EinsumTerm term[most_operands];
  EinsumTerm out;

  /// Throws ValueError if the formula is malformed, ShapeError if it does not fit the shapes.
  EinsumFormula(const char* formula, const Shape* shapes, int operands) : formula_(formula) {
    const char* at = formula;
    int dots = 0;  // axes of `...` in the result
    for (int k = 0; k < operands; ++k) {
      int found = 0;
      at = read(at, shapes[k].rank(), term[k], found);
      dots = found > dots ? found : dots;
      const bool last = k == operands - 1;
      if (last ? *at == ',' : *at != ',') {
        fail<ValueError>("einsum", "formula \"", formula_, "\" for ", operands,
                         operands == 1 ? " operand" : " operands");
      }
      at += *at == ',';
    }
    if (at[0] == '-' && at[1] == '>') {
      int found = -1;
      at = read(at + 2, -1, out, found);
      if (*at != '\0') reject("expected its end behind the result");
      const EinsumTerm letters = out;
      out = {};
      for (int i = 0; i <= letters.rank; ++i) {
        for (int k = dots; i == found && k > 0; --k) add(out, static_cast<char>('0' + k - 1));
        if (i < letters.rank) add(out, letters.name[i]);
      }
    } else if (*at == '\0') {
      for (int k = dots; k > 0; --k) add(out, static_cast<char>('0' + k - 1));
      for (int letter = 'A'; letter <= 'z'; ++letter) {
        int count = 0;
        for (const EinsumTerm& t : term) {
          for (int i = 0; i < t.rank; ++i) count += t.name[i] == letter;
        }
        if (count == 1) add(out, static_cast<char>(letter));
      }
    } else {
      reject("expected letters, `...`, commas and ->");
    }
    check(shapes, operands);
  }

  /// tensordot over pairs of axes, each pair of one name.
  EinsumFormula(const Shape& a, const Axes& axes_a, const Shape& b, const Axes& axes_b)
      : formula_("tensordot") {
    if (axes_a.rank() != axes_b.rank()) {
      fail<ShapeError>("tensordot", "axes ", axes_a, " and ", axes_b, ", expected equally many");
    }
    static_cast<void>(axes_mask("tensordot", axes_a, a.rank()));
    static_cast<void>(axes_mask("tensordot", axes_b, b.rank()));
    for (int i = 0; i < a.rank(); ++i) term[0].push_back(static_cast<char>('a' + i));
    for (int i = 0; i < b.rank(); ++i) term[1].push_back(static_cast<char>('A' + i));
    for (int i = 0; i < axes_a.rank(); ++i) {
      const int at_a = normalize_axis("tensordot", axes_a[i], a.rank());
      const int at_b = normalize_axis("tensordot", axes_b[i], b.rank());
      if (a[at_a] != b[at_b]) {
        fail<ShapeError>("tensordot", "axis ", axes_a[i], " of ", a, " and axis ", axes_b[i],
                         " of ", b, ", expected equal sizes");
      }
      term[1].name[at_b] = term[0].name[at_a];
    }
    for (int i = 0; i < a.rank(); ++i) {
      if (term[1].find(term[0].name[i]) < 0) add(out, term[0].name[i]);
    }
    for (int i = 0; i < b.rank(); ++i) {
      if (term[0].find(term[1].name[i]) < 0) add(out, term[1].name[i]);
    }
  }

  /// The names that the product of the first operands and of number k keeps: those that the result
  /// or a later operand has.
  EinsumTerm kept(const EinsumTerm& before, int k, int operands) const {
    if (k + 1 == operands) return out;
    EinsumTerm names;
    const EinsumTerm both = before + term[k];
    for (int i = 0; i < both.rank; ++i) {
      bool later = out.find(both.name[i]) >= 0;
      for (int j = k + 1; j < operands; ++j) later = later || term[j].find(both.name[i]) >= 0;
      if (later && names.find(both.name[i]) < 0) add(names, both.name[i]);
    }
    return names;
  }

 private:
  [[noreturn, gnu::cold]] void reject(const char* why) const {
    fail<ValueError>("einsum", "formula \"", formula_, "\", ", why);
  }
  void add(EinsumTerm& to, char name) const {
    if (to.rank == max_rank)
      reject("expected at most 8 axes, in products of the first operands too");
    to.push_back(name);
  }

  /// Reads the names of one term for an operand of the given rank, or, where that is negative, of
  /// the result, and sets `dots` to the axes that `...` stands for, or to its place.
  const char* read(const char* at, int rank, EinsumTerm& to, int& dots) const {
    int letters = 0;
    for (const char* p = at; *p != '\0' && *p != ',' && *p != '-'; ++p) letters += is_letter(*p);
    bool seen = false;
    for (; *at != '\0' && *at != ',' && *at != '-'; ++at) {
      if (*at == ' ') continue;
      if (is_letter(*at)) {
        if (rank < 0 && to.find(*at) >= 0) reject("expected each letter of the result once");
        add(to, *at);
      } else if (at[0] == '.' && at[1] == '.' && at[2] == '.' && !seen) {
        seen = true;
        dots = rank < 0 ? to.rank : rank - letters;
        for (int i = dots; rank >= 0 && i > 0; --i) add(to, static_cast<char>('0' + i - 1));
        at += 2;
      } else {
        reject("expected letters, `...`, commas and ->");
      }
    }
    if (rank >= 0 && to.rank != rank) {
      fail<ShapeError>("einsum", "formula \"", formula_, "\" has ", letters,
                       " letters for an operand of rank ", rank);
    }
    return at;
  }
  static bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

  /// Each name has one size; the result's names all occur in an operand.
  void check(const Shape* shapes, int operands) const {
    int64_t size[128];
    for (int64_t& s : size) s = -1;
    for (int k = 0; k < operands; ++k) {
      for (int i = 0; i < term[k].rank; ++i) {
        int64_t& known = size[static_cast<int>(term[k].name[i])];
        const int64_t mine = shapes[k][i];
        const bool dots = !is_letter(term[k].name[i]);
        if (known >= 0 && known != mine && !(dots && (known == 1 || mine == 1))) {
          const char name[] = {term[k].name[i], '\0'};
          fail<ShapeError>("einsum", "formula \"", formula_, "\": ", dots ? "..." : name,
                           " has size ", known, " and size ", mine, " in ", shapes[k]);
        }
        if (known < 0 || known == 1) known = mine;
      }
    }
    for (int i = 0; i < out.rank; ++i) {
      if (size[static_cast<int>(out.name[i])] < 0) {
        reject("expected letters of the operands in the result");
      }
    }
  }

  const char* formula_;
};

}  // namespace weft::detail
