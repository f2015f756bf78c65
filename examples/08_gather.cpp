// Elements selected by index: rows of an embedding, the loss of a classifier, sums by label.
// SPDX-License-Identifier: Apache-2.0
#include "example.hpp"

using namespace weft;

template <class Device>
int run(Device device) {
  auto table = arange<float>(12, device).reshape({4, 3});  // (token, feature)
  auto tokens = tensor({{2, 0}, {-1, 2}}, device);         // (sentence, place); -1 is the last
  Tensor embedded = take(table, tokens, axis(0));          // (sentence, place, feature)
  Tensor sentence = mean(take(table, tokens, axis(0)), axis(1));  // no array of (2, 2, 3) is made
  std::cout << "rows of the table:\n" << embedded << "\nmean of a sentence:\n" << sentence << "\n";
  bool right = example::check("the second sentence is rows 3 and 2",
                              allclose(sentence(1), tensor({7.5F, 8.5F, 9.5F}, device)));

  auto logits = tensor({{2.0F, 1.0F, 0.0F}, {0.0F, 0.0F, 0.0F}}, device);  // (sample, class)
  auto target = tensor({{0}, {2}}, device);                                // (sample, 1)
  Tensor loss =
      mean(logsumexp(logits, axis(-1), keepdims) - take_along_axis(logits, target, axis(-1)));
  std::cout << "negative log-likelihood: " << loss << "\n";
  right &= example::check("it is the mean of 0.4076 and log(3)", allclose(loss, 0.7531, {1e-3}));

  auto label = tensor({0, 2, 0, 0}, device);
  auto total = index_add(zeros({3, 3}, device), axis(0), label, table);  // (label, feature)
  std::cout << "rows summed by label:\n" << total << "\n";
  right &= example::check("label 0 has rows 0, 2 and 3",
                          allclose(total(0), tensor({15.0F, 18.0F, 21.0F}, device)));

  try {
    Tensor beyond = take(table, tensor({4}, device), axis(0));
    synchronize(device);  // on the CPU the line before has thrown
    right = false;
  } catch (const IndexError& error) {
    std::cout << error.what() << "\n";
  }
  return right ? 0 : 1;
}

int main(int argc, char** argv) {
  return example::main(argc, argv, [](auto device) { return run(device); });
}
