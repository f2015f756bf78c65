// Ranks that meet as the environment says, without MPI: each prints what it learned of the others.
// SPDX-License-Identifier: Apache-2.0
#include "weft/weft.hpp"

#include "weft/dist.hpp"

#include <cstdio>

int main() {
  try {
    const weft::dist::Group g = weft::dist::init({.timeout = 10});
    g.barrier();
    const weft::dist::Group half = g.split(g.rank() % 2);
    half.barrier();
    g.barrier();
    std::printf("rank %d of %d, %d of %d\n", g.rank(), g.size(), half.rank(), half.size());
    return 0;
  } catch (const weft::Error& error) {
    std::printf("%s\n", error.what());
    return 1;
  }
}
