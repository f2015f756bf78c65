// Tensors that are made in one part of a program, evaluated in another and freed in a third: .cpp
// and .cu files and a shared library, with statics that are alive at program exit.
// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <thread>

#include "mixed.hpp"

using mixed::Vector;

namespace {
Vector mains_static;  // alive at program exit

int failures = 0;
void check(const char* what, bool holds) {
  std::printf("%s: %s\n", holds ? "ok" : "WRONG", what);
  failures += holds ? 0 : 1;
}

void run() {
  const mixed::State before = mixed::state();
  {
    Vector made = mixed::ramp(1000);            // in the library
    Vector evaluated = mixed::scaled(made, 2);  // in evaluate.cpp
    made = Vector();                            // the library's memory, freed here
    mixed::keep(evaluated);                     // the program's memory, held by the library
    evaluated = mixed::add(evaluated, evaluated);
    check("elements crossed three parts", mixed::elements(evaluated)[999] == 4 * 999);
    check("the library still holds what the program made",
          mixed::elements(mixed::librarys_static())[999] == 2 * 999);
    check("both see the memory of both",
          mixed::state() == mixed::librarys_state() && mixed::state().allocated > before.allocated);
    mixed::drop();  // freed in the library
  }
  check("all memory is given back", mixed::state().allocated == before.allocated);
  check("the peak is one for both", mixed::state().peak == mixed::librarys_state().peak &&
                                        mixed::state().peak >= before.allocated + 8000);

  weft::manual_seed(7);
  const std::vector<float> first = mixed::elements(mixed::noise(4));
  weft::manual_seed(7);
  check("the default generator is one for both", first == mixed::elements(mixed::noise(4)) &&
                                                     mixed::state() == mixed::librarys_state() &&
                                                     mixed::state().draws == 1);

  bool caught = false;
  try {
    mixed::add(mixed::ramp(3), mixed::ramp(4));
  } catch (const weft::ShapeError& error) {
    caught = true;
  }
  check("the library's exception is caught by its type", caught);

  std::thread other([] { mixed::keep(mixed::scaled(mixed::ramp(5), 3)); });
  other.join();
  check("what a thread that is gone made stays",
        mixed::elements(mixed::librarys_static())[4] == 12);

#ifdef MIXED_CUDA
  const weft::cuda::Stream side;
  {
    const weft::cuda::StreamGuard guard(side);
    check("the current stream is one for both",
          mixed::librarys_state().stream == static_cast<const void*>(side.handle()));
    mains_static = mixed::ramp(1 << 20);
  }
  check("what another stream made is waited for",
        mixed::elements(mixed::scaled(mains_static, 0.5F))[1 << 19] == float(1 << 18));
#endif

  // Left for the exit: statics of the program, of one function and of the library.
  mains_static = mixed::ramp(1 << 20);
  check("a static of a function", mixed::elements(mixed::evaluators_static())[3] == 6);
  mixed::keep(mixed::add(mains_static, mains_static));
}
}  // namespace

int main() {
  try {
    run();
  } catch (const weft::Error& error) {
    std::printf("WRONG: %s\n", error.what());
    return 1;
  }
  return failures == 0 ? 0 : 1;
}
