// Reductions: over all elements or along axes, on their own or inside a larger expression.
// SPDX-License-Identifier: Apache-2.0
#include "example.hpp"

using namespace weft;

template <class Device>
int run(Device device) {
  // How sure a classifier is that each of four pictures shows a cat, a dog or a bird.
  auto score = tensor(
      {{2.0F, 1.0F, 0.0F}, {0.3F, 2.5F, 0.4F}, {-1.0F, 0.0F, 3.0F}, {202.0F, 201.0F, 200.0F}},
      device);  // (picture, animal)

  // Axes are a type of their own: max(score, -1) does not compile, and the message tells it from
  // maximum(score, -1.0). With keepdims the result broadcasts against its operand.
  auto shifted = exp(score - max(score, axis(-1), keepdims));        // (picture, animal)
  Tensor probability = shifted / sum(shifted, axis(-1), keepdims);   // (picture, animal): softmax
  Tensor animal = argmax(probability, axis(-1));                     // (picture,) of int64
  Tensor surprise = -sum(probability * log(probability), axis(-1));  // (picture,): entropy

  std::cout << "probability:\n" << probability << "\n";
  std::cout << "animal " << animal << "\nsurprise " << surprise << "\n";

  bool right = example::check("each picture's probabilities add up to 1",
                              allclose(sum(probability, axis(-1)), 1));
  right &= example::check("scores that are all 200 higher have the same probabilities",
                          allclose(probability(3), probability(0)));
  right &= example::check("cat, dog, bird, cat",
                          equal(animal, tensor<std::int64_t>({0, 1, 2, 0}, device)));
  right &= example::check(
      "the surprise is the entropy, computed in another way",
      allclose(surprise, logsumexp(score, axis(-1)) - sum(probability * score, axis(-1)),
               {.rtol = 1e-4}));

  // Without axes a reduction takes everything; a result of one element is a number.
  const float spread = stddev(score).item();
  const float by_hand = sqrt(mean(square(score - mean(score))) * (12.0 / 11)).item();
  std::cout << "standard deviation " << spread << "\n";
  right &= example::check("stddev divides by n - 1", allclose(tensor({spread}), by_hand));
  return right ? 0 : 1;
}

int main(int argc, char** argv) {
  return example::main(argc, argv, [](auto device) { return run(device); });
}
