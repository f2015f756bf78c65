// SPDX-License-Identifier: Apache-2.0
#include <weft/ops/linalg/einsum.hpp>

#include <string>

#include "matrices.hpp"

using test::Array;
using test::Index;
using test::small_numbers;
using weft::axis;
using weft::einsum;
using weft::Shape;
using weft::tensordot;

namespace {

/// einsum by its definition: a loop over all letters of a formula without `...`.
template <class T>
Array<T> by_definition(const std::string& a_names, const std::string& b_names,
                       const std::string& out_names, const Array<T>& a, const Array<T>& b) {
  std::string names = out_names;
  for (char c : a_names + b_names) {
    if (names.find(c) == std::string::npos) names += c;
  }
  const auto place = [&](const std::string& of, const Index& at) {
    Index out;
    for (char c : of) out.push_back(at[names.find(c)]);
    return out;
  };
  Shape all;
  for (char c : names) {
    const auto in_a = a_names.find(c);
    all.push_back(in_a != std::string::npos ? a.shape[static_cast<int>(in_a)]
                                            : b.shape[static_cast<int>(b_names.find(c))]);
  }
  Array<T> out;
  for (std::size_t i = 0; i < out_names.size(); ++i) {
    out.shape.push_back(all[static_cast<int>(i)]);
  }
  out.values.assign(static_cast<std::size_t>(out.shape.size()), T(0));
  test::each_index(all, [&](const Index& at) {
    std::int64_t k = 0;
    for (int d = 0; d < out.shape.rank(); ++d) {
      k = k * out.shape[d] + at[static_cast<std::size_t>(d)];
    }
    out.values[static_cast<std::size_t>(k)] += a.at(place(a_names, at)) * b.at(place(b_names, at));
  });
  return out;
}

Shape shape_of(const std::string& names) {
  Shape s;
  for (char c : names) s.push_back(2 + (c - 'a') % 5);
  return s;
}

}  // namespace

TEST_CASE_TEMPLATE("einsum of two operands", D, TEST_DEVICES) {
  test::Random r(1);
  const char* const formulas[][3] = {
      {"ij", "jk", "ik"},       {"ij", "jk", "ki"},       {"ij", "kj", "ik"},
      {"ji", "kj", "ki"},       {"i", "i", ""},           {"i", "j", "ij"},
      {"i", "j", "ji"},         {"ij", "ij", "ij"},       {"ij", "ij", ""},
      {"ij", "ji", ""},         {"ij", "j", "i"},         {"bij", "bjk", "bik"},
      {"bhid", "bhjd", "bhij"}, {"bihd", "bjhd", "bhij"}, {"bhij", "bjhd", "bihd"},
      {"abcd", "cdef", "abef"}, {"abcd", "dcba", ""},     {"ijk", "jil", "kl"},
      {"ij", "k", "ik"},        {"ij", "kl", ""},         {"iij", "jk", "ik"},
      {"ii", "i", "i"},         {"bi", "bj", "bij"},      {"abc", "b", "acb"},
      {"abcd", "bd", "ca"},     {"", "ij", "ji"},
  };
  for (const auto& f : formulas) {
    const auto a = small_numbers<double>(r, shape_of(f[0]));
    const auto b = small_numbers<double>(r, shape_of(f[1]));
    const std::string formula = std::string(f[0]) + "," + f[1] + "->" + f[2];
    CAPTURE(formula);
    const auto expected = by_definition<double>(f[0], f[1], f[2], a, b);
    CHECK(same(einsum(formula.c_str(), a.on(D{}), b.on(D{})), expected));
    CHECK(same(einsum(formula.c_str(), laid_out(a, D{}, 1), laid_out(b, D{}, 4)), expected));
  }
}

TEST_CASE_TEMPLATE("einsum of one operand", D, TEST_DEVICES) {
  const auto x = weft::arange<float>(0, 12, 1, D{}).reshape({3, 4});
  const auto s = weft::arange<float>(0, 9, 1, D{}).reshape({3, 3});
  CHECK(equal(einsum("ij->ji", x), x.t()));
  CHECK(einsum("ij->ji", x).storage() == x.storage());
  CHECK(equal(einsum("ij->i", x), sum(x, axis(1))));
  CHECK(einsum("ij->", x).item() == 66);
  CHECK(einsum("ii->", s).item() == 12);
  CHECK(einsum("ii", s).item() == 12);
  CHECK(einsum("ii->i", s).to_vector() == std::vector<float>{0, 4, 8});
  CHECK(equal(einsum("ba", x), x.t()));
  CHECK(equal(einsum("...j->...", x), sum(x, axis(1))));
  CHECK(einsum("i->", weft::tensor<std::int32_t>({1, 2, 3}, D{})).item() == 6);
}

TEST_CASE_TEMPLATE("implied results, spaces and ...", D, TEST_DEVICES) {
  test::Random r(2);
  const auto a = small_numbers<float>(r, {5, 1, 3, 4}).on(D{});
  const auto b = small_numbers<float>(r, {2, 4, 6}).on(D{});
  const auto v = small_numbers<float>(r, {4}).on(D{});
  CHECK(equal(einsum("...ij, ...jk -> ...ik", a, b), matmul(a, b)));
  CHECK(equal(einsum("...ij,...jk", a, b), matmul(a, b)));
  CHECK(equal(einsum("...j,j", a, v), matmul(a, v)));
  CHECK(equal(einsum("ik...,k", v.reshape({2, 2, 1}), v(weft::slice(0, 2))),
              matmul(v.reshape({2, 2}), v(weft::slice(0, 2))).eval().reshape({1, 2})));
  CHECK(equal(einsum("ij,jk", a(0, 0), b(0)), matmul(a(0, 0), b(0))));
  // What the result lacks is summed, `...` too: axes of it broadcast first.
  CHECK(equal(einsum("...ij->j", a), sum(a, axis(0, 1, 2))));
  CHECK(equal(einsum("...ij,...jk->ik", a, b), sum(matmul(a, b), axis(0, 1))));
  CHECK(equal(einsum("...ik,...j->ij", a(0, 0), b(0, 0)),
              sum(a(0, 0), axis(1)).eval().unsqueeze(1) * b(0, 0)));
  CHECK(equal(einsum("...k,...j->jk", b(0), a(0, 0)(weft::slice(0, 1))),
              sum(b(0), axis(0)).eval() * a(0, 0, 0).unsqueeze(1)));
  CHECK(equal(einsum("ij,jk", a(0, 0) * 2, b(0) + 1), matmul(a(0, 0) * 2, b(0) + 1)));
}

TEST_CASE_TEMPLATE("einsum of several operands, from left to right", D, TEST_DEVICES) {
  test::Random r(5);
  const auto a = small_numbers<double>(r, {2, 3}).on(D{});
  const auto b = small_numbers<double>(r, {3, 4}).on(D{});
  const auto c = small_numbers<double>(r, {4, 2}).on(D{});
  const auto v = small_numbers<double>(r, {4}).on(D{});
  const auto chain = matmul(matmul(a, b).eval(), c).eval();
  CHECK(equal(einsum("ij,jk,kl->il", a, b, c), chain));
  CHECK(equal(einsum("ij,jk,kl", a, b, c * 1.0), chain));
  CHECK(einsum("ij,jk,ki->", a, b, c).item() == einsum("ii->", chain).item());
  // A letter that several operands have stays until the last of them; axes that only one has go.
  CHECK(equal(einsum("ij,jk,k,k->ik", a, b, v, v), matmul(a, b) * v * v));
  CHECK(equal(einsum("ij,kj,lj->ikl", a, b.t(), b.t() + 1.0),
              sum(a.unsqueeze(1).unsqueeze(1) * b.t().unsqueeze(1) * (b.t() + 1.0), axis(-1))));
  CHECK(equal(einsum("...i,ij,...j->...", a, b, matmul(a, b)),
              sum(square(matmul(a, b).eval()), axis(-1))));
  CHECK_SAYS("[einsum] formula \"ij,jk\" for 3 operands", einsum("ij,jk", a, b, c));
  CHECK_SAYS("in products of the first operands too",
             einsum("abcd,efgh,i->abcdefghi", zeros_like(a.reshape(1, 1, 2, 3)),
                    zeros_like(a.reshape(1, 1, 2, 3)), v));
}

TEST_CASE_TEMPLATE("element types of einsum", D, TEST_DEVICES) {
  test::Random r(3);
  const auto check = [&](auto zero) {
    using T = decltype(zero);
    const auto a = small_numbers<T>(r, {3, 4, 2});
    const auto b = small_numbers<T>(r, {4, 5});
    CHECK(same(einsum("ikb,kj->bji", a.on(D{}), b.on(D{})),
               by_definition<T>("ikb", "kj", "bji", a, b)));
    CHECK(einsum("ikb,kj->", a.on(D{}), b.on(D{})).item() ==
          by_definition<T>("ikb", "kj", "", a, b).values[0]);
  };
  check(float{});
  check(std::int32_t{});
  check(weft::complex<double>{});
}

TEST_CASE_TEMPLATE("tensordot", D, TEST_DEVICES) {
  test::Random r(4);
  const auto a = small_numbers<double>(r, {2, 3, 4});
  const auto b = small_numbers<double>(r, {3, 4, 5});
  const auto expected = by_definition<double>("abc", "bcd", "ad", a, b);
  CHECK(same(tensordot(a.on(D{}), b.on(D{})), expected));
  CHECK(same(tensordot(a.on(D{}), b.on(D{}), axis(1, 2), axis(0, 1)), expected));
  CHECK(same(tensordot(a.on(D{}), b.on(D{}), axis(-1, 1), axis(1, 0)), expected));
  CHECK(same(tensordot(a.on(D{}), b.on(D{}), axis(1), axis(0)),
             by_definition<double>("abc", "bde", "acde", a, b)));
  CHECK(tensordot(a.on(D{}), b.on(D{}), 0).shape() == Shape{2, 3, 4, 3, 4, 5});
}

TEST_CASE("formulas that do not fit") {
  const auto x = weft::ones({2, 3});
  const auto y = weft::ones({3, 4});
  CHECK_SAYS("[einsum] formula \"ij,jk->il\", expected letters of the operands in the result",
             einsum("ij,jk->il", x, y));
  CHECK_SAYS("[einsum] formula \"ij,ik\": i has size 2 and size 3 in (3, 4)",
             einsum("ij,ik", x, y));
  CHECK_SAYS("has 1 letters for an operand of rank 2", einsum("i,jk", x, y));
  CHECK_SAYS("has 3 letters for an operand of rank 2", einsum("ijk->", x));
  CHECK_SAYS("[einsum] formula \"ij\" for 2 operands", einsum("ij", x, y));
  CHECK_SAYS("[einsum] formula \"ij,jk\" for 1 operand", einsum("ij,jk", x));
  CHECK_SAYS("each letter of the result once", einsum("ij,jk->ii", x, y));
  CHECK_SAYS("expected letters, `...`, commas and ->", einsum("i1,jk", x, y));
  CHECK_SAYS("expected letters, `...`, commas and ->", einsum("i..,jk", x, y));
  CHECK_SAYS("expected its end behind the result", einsum("ij->i,j", x));
  CHECK_SAYS("[tensordot] axis 1 of (2, 3) and axis 1 of (3, 4), expected equal sizes",
             tensordot(x, y, axis(1), axis(1)));
  CHECK_SAYS("[tensordot] axes (0, 1) and (0,), expected equally many",
             tensordot(x, y, axis(0, 1), axis(0)));
  CHECK_SAYS("[tensordot] axis 1 appears twice", tensordot(x, y, axis(1, 1), axis(0, 0)));
  CHECK_SAYS("[tensordot] 3 axes of shapes (2, 3) and (3, 4), expected 0 to 2", tensordot(x, y, 3));
}
