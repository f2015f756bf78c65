// SPDX-License-Identifier: Apache-2.0
#include <weft/cpu/elementwise/instruction_set.hpp>

#include "test.hpp"

TEST_CASE("a loop runs once, whatever it is compiled for") {
  int calls = 0;
  weft::cpu::run_loop([&] { ++calls; });
  CHECK(calls == 1);
}

TEST_CASE("loops of one length and another give an element the same bits") {
  const auto x = (weft::arange<float>(1000.F) * 0.013F - 6).eval();
  const auto whole = (tanh(x * x + 0.3F) * exp(-x) + 0.5F).eval();
  for (std::int64_t start : {0, 1, 3, 500, 993}) {
    for (std::int64_t length : {1, 2, 3, 5, 7}) {
      const auto part = x(weft::slice(start, start + length));
      CHECK((tanh(part * part + 0.3F) * exp(-part) + 0.5F).eval().to_vector() ==
            whole(weft::slice(start, start + length)).eval().to_vector());
    }
  }
}

namespace {
struct Rows {
  std::vector<std::int64_t>& seen;
  void operator()(std::int64_t r) const { seen.push_back(r); }
  void all(std::int64_t rows) const {
    for (std::int64_t r = 0; r < rows; ++r) (*this)(r);
  }
};
}  // namespace

TEST_CASE("each row runs once, in order") {
  std::vector<std::int64_t> seen;
  weft::cpu::run_rows(Rows{seen}, 4);
  CHECK(seen == std::vector<std::int64_t>{0, 1, 2, 3});
  weft::cpu::run_rows(Rows{seen}, 0);
  CHECK(seen.size() == 4);
}
