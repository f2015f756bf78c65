#include "weft/nn/recurrent/sequence_lengths.hpp"

#include "test.hpp"

using namespace weft;

TEST_CASE("lengths of sequences, from numbers or a tensor") {
  const nn::SequenceLengths<Cpu> none;
  none.check("f", 3, 2);
  CHECK(none.is_known());
  CHECK(none.inside(Cpu{}, 3).size() == 0);
  const nn::SequenceLengths<Cpu> given{2, 3};
  given.check("f", 3, 2);
  CHECK(given.known() == std::vector<int64_t>{2, 3});
  const Tensor<bool> inside = given.inside(Cpu{}, 3);
  CHECK(inside.shape() == Shape{3, 2, 1});
  CHECK(sum(cast<int64_t>(inside)).item() == 5);
  CHECK(!inside(2, 0, 0).item());
  const nn::SequenceLengths<Cpu> of_tensor(tensor<int64_t>({2, 3}));
  CHECK(!of_tensor.is_known());
  CHECK(equal(of_tensor.inside(Cpu{}, 3), inside));
  CHECK_SAYS("a sequence of length 4, expected 1 to 3",
             (nn::SequenceLengths<Cpu>{4, 1}.check("f", 3, 2)));
  CHECK_SAYS("a sequence of length 4, expected 1 to 3",
             (nn::SequenceLengths<Cpu>(tensor<int64_t>({2, 4})).check("f", 3, 2)));
  CHECK_SAYS("a sequence of length 0, expected 1 to 3",
             (nn::SequenceLengths<Cpu>(tensor<int64_t>({0, 3})).check("f", 3, 2)));
  CHECK_SAYS("lengths of shape (2,) for a batch of 3", given.check("f", 3, 3));
}
