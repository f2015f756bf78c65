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
/// A kernel that notes how it was called.
struct Notes {
  static inline int calls = 0;
  static inline std::int64_t last[2] = {};
  static void all(const void* programs, char* const*, const std::int64_t*, const std::int64_t*,
                  std::int64_t rows, std::int64_t n) {
    calls += *static_cast<const int*>(programs);
    last[0] = rows;
    last[1] = n;
  }
  static constexpr auto each = all;
};
}  // namespace

TEST_CASE("a kernel's loop gets what it is called with, in each instruction set") {
  using Loops = weft::cpu::KernelLoops<Notes>;
  const int one = 1;
  Loops::compiled(&one, nullptr, nullptr, nullptr, 3, 4);
  CHECK(Notes::calls == 1);
  Loops::chosen()(&one, nullptr, nullptr, nullptr, 5, 6);
  CHECK(Notes::calls == 2);
  CHECK(Notes::last[0] == 5);
  CHECK(Notes::last[1] == 6);
}
