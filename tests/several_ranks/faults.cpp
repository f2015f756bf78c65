// A rank that dies, hangs or never comes: `faults CASE` for mpirun, which each other rank must
// leave with the right sentence.
// SPDX-License-Identifier: Apache-2.0
#include "weft/weft.hpp"

#include "weft/dist.hpp"

#include <csignal>
#include <cstdio>
#include <iostream>

using namespace weft;

namespace {
/// Whether f throws within `seconds` what has all the parts in it.
template <class F>
int expect(double seconds, std::initializer_list<const char*> parts, const F& f) {
  const auto start = dist::Clock::now();
  std::string said = "nothing";
  try {
    f();
  } catch (const DistributedError& error) {
    said = error.what();
  }
  const double took = dist::Seconds(dist::Clock::now() - start).count();
  bool good = took < seconds;
  for (const char* part : parts) good = good && said.find(part) != std::string::npos;
  std::printf("%s: after %.1f s: %s\n", good ? "ok" : "WRONG", took, said.c_str());
  std::fflush(stdout);
  return good ? 0 : 1;
}
}  // namespace

int main(int argc, char** argv) {
  const std::string what = argc > 1 ? argv[1] : "";
  dist::Group g = dist::init({.timeout = 2});
  const Tensor<float> x = ones({1000});
  g.all_reduce(x);
  const int odd = what == "kill0" ? 0 : 2;
  if (g.rank() == odd) {
    if (what == "hang") {
      std::this_thread::sleep_for(std::chrono::seconds(9));
      _exit(0);
    }
    if (what == "leave") {
      g = dist::Group();
      _exit(0);  // MPI_Finalize would wait for the others
    }
    std::raise(SIGKILL);
  }
  const auto calls = [&] {
    for (int i = 0; i < 3; ++i) g.all_reduce(x);
  };
  if (what == "hang") {
    return expect(8,
                  {"[all_reduce] call 2 of the group was not done in 2.0 s",
                   "rank 2 has not started it, its last was call 1, all_reduce"},
                  calls);
  }
  if (what == "kill0") return expect(8, {"[all_reduce]", "rank 0 is gone"}, calls);
  if (what == "leave") return expect(8, {"[all_reduce]", "rank 2 has "}, calls);
  return expect(8, {"[all_reduce]", "rank 2 is gone"}, calls);
}
