// A hidden Markov model: which of two dice a cheat used for each throw, by Viterbi's algorithm.
// SPDX-License-Identifier: Apache-2.0
#include <weft/weft.hpp>

#include <iostream>
#include <vector>

using namespace weft;

int main() {
  manual_seed(3);
  const int throws = 400;
  Tensor change = log(tensor({{0.95, 0.05}, {0.1, 0.9}}));  // (from, to), as logarithms
  Tensor faces = log(tensor({{1. / 6, 1. / 6, 1. / 6, 1. / 6, 1. / 6, 1. / 6},
                             {0.06, 0.06, 0.06, 0.06, 0.06, 0.7}}));  // (die, face)

  std::vector<std::int64_t> die{0};
  for (int t = 1; t < throws; ++t) {
    bool changes = rand({}).item() > std::exp(change(die.back(), die.back()).item());
    die.push_back(changes ? 1 - die.back() : die.back());
  }
  Tensor truth = tensor(die);
  Tensor loaded = where(rand({throws}) < 0.7F, 5, randint(0, 5, {throws}));
  Tensor seen = where(truth == 1, loaded, randint(0, 6, {throws}));
  Tensor evidence = take(faces, seen, axis(1)).eval();  // (die, throw)

  // The likelihood of all that was seen, and the likeliest way there.
  Tensor forward = std::log(0.5) + evidence(all, 0);
  Tensor best = forward;
  Tensor from = zeros<std::int64_t>({throws, 2});
  for (int t = 1; t < throws; ++t) {
    forward = logsumexp(forward(all, newaxis) + change, axis(0)) + evidence(all, t);
    auto [score, place] = max(best(all, newaxis) + change, axis(0));
    best = score + evidence(all, t);
    from(t) = place;
  }
  Tensor path = empty<std::int64_t>({throws});
  path(-1) = argmax(best);
  for (int t = throws - 1; t > 0; --t) path(t - 1) = from(t, path(t).item());

  double right = mean(path == truth);
  std::cout << "log likelihood " << logsumexp(forward).item() << ", of the likeliest path "
            << max(best).item() << "\n"
            << 100 * right << " % of the throws are told\n";
  return right > 0.8 && logsumexp(forward) > max(best) ? 0 : 1;
}
