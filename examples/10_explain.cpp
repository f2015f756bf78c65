// Explain: which kernels an expression becomes, how fast they run, and how to tune their launches.
// SPDX-License-Identifier: Apache-2.0
#include "example.hpp"

#include <weft/explain.hpp>
#ifdef __CUDACC__
#include <weft/cuda/tune.hpp>
#endif

using namespace weft;

template <class D>
int run(D device) {
  auto x = linspace(-3, 3, 512 * 1024, device).reshape({512, 1024});

  // Nothing is evaluated here: evaluation's own planners run, and say what they chose.
  const Explanation one = explain(softmax(x, axis(-1)));
  std::cout << one;
  bool right = example::check("softmax is one pass over x, with two reductions",
                              one.kernel_count() == 1 && one.kernels[0].reductions == 2 &&
                                  one.bytes() == 2 * 512 * 1024 * 4);

  // Columns are reduced for all rows before the first row can be finished, so this is two.
  const Explanation two = explain(x - mean(x, axis(0)));
  std::cout << two;
  right &= example::check("the means of columns are a step of their own",
                          two.kernels.size() >= 2 && two.bytes_read() > 2 * 512 * 1024 * 4);

  // For Graphviz: `dot -Tsvg`.
  std::cout << explain(exp(x) + x).dot();

  // Percentages need a bandwidth: CUDA devices report theirs; for the CPU this is a guess.
  const double bandwidth = std::is_same_v<D, Cpu> ? 10e9 : 0;
  const Profile speed = profile(softmax(x, axis(-1)), {.seconds = 0.05, .bandwidth = bandwidth});
  std::cout << speed;
  right &= example::check("it takes time", speed.seconds > 0 && speed.percent() > 0);

#ifdef __CUDACC__
  if constexpr (std::is_same_v<D, Cuda>) {  // other launches with the same bits; remembers the best
    const cuda::Tuned tuned = cuda::tune(exp(x) + x);
    std::cout << tuned << explain(exp(x) + x);
    right &= example::check("several launches were timed", tuned.kernels[0].candidates.size() > 1);
  }
#endif
  return right ? 0 : 1;
}

int main(int argc, char** argv) {
  return example::main(argc, argv, [](auto device) { return run(device); });
}
