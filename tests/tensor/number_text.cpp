// SPDX-License-Identifier: Apache-2.0
#include <weft/tensor/number_text.hpp>

#include <clocale>
#include <cmath>
#include <string>
#include <vector>

#include "test.hpp"

namespace {
template <class T>
std::string row(const std::vector<T>& values, int precision = 4) {
  std::string out;
  for (const auto& text : weft::detail::number_texts(
           values.data(), static_cast<int64_t>(values.size()), precision, true)) {
    out += (out.empty() ? "" : ", ") + text;
  }
  return out;
}
using std::vector;
}  // namespace

// The expected texts are NumPy's.

TEST_CASE("floating numbers are short and aligned at the point") {
  CHECK(row(vector<double>{1, 2.5, -10.125}) == "  1.   ,   2.5  , -10.125");
  CHECK(row(vector<double>{1.00001, 2}) == "1., 2.");
  CHECK(row(vector<double>{0.12345, 0.5}) == "0.1235, 0.5   ");
  CHECK(row(vector<float>{0.1F, 123456.789F / 1000}) == "1.0000e-01, 1.2346e+02");
  CHECK(row(vector<float>{12345.6789F}) == "12345.679");
  CHECK(row(vector<double>{0, 0}) == "0., 0.");
  CHECK(row(vector<double>{99999999}) == "99999999.");
}

TEST_CASE("far ranges have an exponent") {
  CHECK(row(vector<double>{1e8}) == "1.e+08");
  CHECK(row(vector<double>{1e-4, 5e-2}) == "0.0001, 0.05  ");
  CHECK(row(vector<double>{9e-5}) == "9.e-05");
  CHECK(row(vector<double>{1, 1000}) == "   1., 1000.");
  CHECK(row(vector<double>{1, 1001}) == "1.000e+00, 1.001e+03");
  CHECK(row(vector<double>{1e-5, 1, 123.456}) == "1.0000e-05, 1.0000e+00, 1.2346e+02");
  CHECK(row(vector<double>{-2.5e-300, 1e300}) == "-2.5e-300,  1.0e+300");
  CHECK(row(vector<double>{5e-324}) == "5.e-324");
}

TEST_CASE("half types show the digits that they have") {
  CHECK(row(vector<weft::half>{weft::half(100.3), weft::half(16)}) == "100.3,  16. ");
  CHECK(row(vector<weft::half>{weft::half(0.1)}) == "0.1");
  CHECK(row(vector<weft::bfloat16>{weft::bfloat16(3.14159)}) == "3.14");
}

TEST_CASE("complex numbers") {
  using C = weft::complex<float>;
  CHECK(row(vector<C>{C(1, 2), C(3.5, -1)}) == "1. +2.j, 3.5-1.j");
  CHECK(row(vector<weft::complex<double>>{{1e-5, 0}, {NAN, INFINITY}, {-1, -2.5}}) ==
        " 1.e-05+0.j ,     nan+infj, -1.e+00-2.5j");
}

TEST_CASE("the locale's point does not show") {
  for (const char* locale : {"de_DE.UTF-8", "fr_FR.UTF-8"}) {
    if (std::setlocale(LC_NUMERIC, locale) == nullptr) continue;
    CHECK(row(vector<double>{1.5, 0.1}) == "1.5, 0.1");
  }
  std::setlocale(LC_NUMERIC, "C");
}
