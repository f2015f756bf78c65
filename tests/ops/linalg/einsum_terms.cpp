// SPDX-License-Identifier: Apache-2.0
#include <weft/ops/linalg/einsum_terms.hpp>

#include <string>

#include "test.hpp"

using weft::Shape;
using weft::detail::EinsumFormula;
using weft::detail::EinsumTerm;

namespace {
std::string names(const EinsumTerm& term) { return std::string(term.name, term.name + term.rank); }
}  // namespace

TEST_CASE("names of axes") {
  EinsumTerm term;
  for (char c : {'a', 'b', 'c'}) term.push_back(c);
  CHECK(term.find('c') == 2);
  CHECK(term.find('d') == -1);
  term.erase(0);
  CHECK(names(term + term) == "bcbc");
}

TEST_CASE("formulas are read against shapes") {
  const Shape shapes[] = {{2, 3}, {3, 4}};
  const EinsumFormula given("ij, jk -> ki", shapes, 2);
  CHECK(names(given.term[0]) == "ij");
  CHECK(names(given.term[1]) == "jk");
  CHECK(names(given.out) == "ki");
  CHECK(names(EinsumFormula("bj,ja", shapes, 2).out) == "ab");
  CHECK(names(EinsumFormula("ij", shapes, 1).out) == "ij");
  const Shape deep[] = {{7, 5, 2, 3}, {5, 3, 4}};
  const EinsumFormula dots("...ij,...jk->i...k", deep, 2);
  CHECK(names(dots.term[0]) == "10ij");
  CHECK(names(dots.term[1]) == "0jk");
  CHECK(names(dots.out) == "i10k");
  CHECK(names(EinsumFormula("...ij,...jk", deep, 2).out) == "10ik");
  CHECK(names(EinsumFormula("...ij,...jk->ik...", deep, 2).out) == "ik10");
}

TEST_CASE("tensordot's axes are pairs of one name") {
  const EinsumFormula f({2, 3, 4}, weft::axis(1), {5, 3}, weft::axis(-1));
  CHECK(names(f.term[0]) == "abc");
  CHECK(names(f.term[1]) == "Ab");
  CHECK(names(f.out) == "acA");
}

TEST_CASE("results of more than 8 axes are refused") {
  const Shape shapes[] = {{1, 1, 1, 1, 1}, {1, 1, 1, 1, 1}};
  CHECK_SAYS("expected at most 8 axes", EinsumFormula("abcde,fghij", shapes, 2));
  CHECK_SAYS("expected at most 8 axes",
             EinsumFormula(shapes[0], weft::axis(), shapes[1], weft::axis()));
}
