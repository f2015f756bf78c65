// Runs the tests as one of several ranks; mpirun starts it, see CMakeLists.txt.
// SPDX-License-Identifier: Apache-2.0
#define DOCTEST_CONFIG_IMPLEMENT
#include "ranks.hpp"

#include <cstdio>

int main(int argc, char** argv) {
  doctest::Context context(argc, argv);
  try {
    weft::dist::Group group = weft::dist::init({.timeout = 20});
#ifdef __CUDACC__
    group.device<weft::Cuda>();
#endif
    test::world() = &group;
    if (group.rank() > 0) context.setOption("minimal", true);
    const int failed = context.run();
    group.barrier();
    if (group.rank() == 0) std::printf("%d ranks\n", group.size());
    return failed;
  } catch (const weft::Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
