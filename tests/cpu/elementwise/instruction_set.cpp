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
  static inline weft::cpu::CompiledLoops::Loop* caller = nullptr;
  static void each(weft::cpu::CompiledLoops::Loop* self, const void* programs, char* const*,
                   const std::int64_t*, const std::int64_t*, std::int64_t rows, std::int64_t n) {
    caller = self;
    calls += *static_cast<const int*>(programs);
    last[0] = rows;
    last[1] = n;
  }
  static void all(weft::cpu::CompiledLoops::Loop* self, const void* programs, char* const* at,
                  const std::int64_t* step, const std::int64_t* skip, std::int64_t rows,
                  std::int64_t n) {
    each(self, programs, at, step, skip, rows, n);
  }
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
  if (Notes::caller != nullptr) CHECK((Notes::caller == Loops::chosen()));
}

#if defined(WEFT_AVX512) && defined(__x86_64__) && defined(__OPTIMIZE__)
#if !defined(__AVX512F__) && !defined(__clang__)
TEST_CASE("AVX-512 gives the bits of AVX2") {
  using namespace weft;
  if (!cpu::detail::has_avx512()) {
    MESSAGE("this machine has no AVX-512");
    return;
  }
  using Program = Apply<op::tanh, Apply<op::exp, Arg<1, float>>>;
  using Floats = detail::TypeList<float>;
  using Loops = cpu::KernelLoops<cpu::detail::ElementKernel<Floats, Floats, Pack<Program>>>;
  const Tensor x = sin(arange<float>(1003.F)) * 5.F;
  const Tensor y = zeros({1003});
  const Tensor z = zeros({1003});
  const Pack<Program> program{};
  const std::int64_t steps[] = {1, 1};
  char* at[] = {reinterpret_cast<char*>(y.data()), reinterpret_cast<char*>(x.data())};
  Loops::compiled(&program, at, steps, steps, 1, 1003);
  CHECK(allclose(y, tanh(exp(x))));
#if !defined(__AVX2__)
  Loops::avx2(&program, at, steps, steps, 1, 1003);
#endif
  at[0] = reinterpret_cast<char*>(z.data());
  Loops::avx512(&program, at, steps, steps, 1, 1003);
  CHECK(equal(y, z));
  CHECK((Loops::chosen() == Loops::avx512));
}
#endif
#endif
