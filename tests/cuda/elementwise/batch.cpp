// SPDX-License-Identifier: Apache-2.0
#include <weft/cuda/elementwise/batch.hpp>

#include "test.hpp"

using weft::cuda::TouchedStorages;

TEST_CASE("reads go together, a write goes with nothing else") {
  std::vector<weft::Tensor<float, weft::Cpu>> tensors;
  for (int i = 0; i < 200; ++i) tensors.push_back(weft::zeros({1}));
  const auto storage = [&](std::size_t i) { return tensors[i].storage(); };
  TouchedStorages touched;
  CHECK_FALSE(touched.conflicts(storage(0), TouchedStorages::write));
  for (std::size_t i = 0; i < 100; ++i) touched.add(storage(i), TouchedStorages::read);
  for (std::size_t i = 100; i < 150; ++i) touched.add(storage(i), TouchedStorages::write);
  int wrong = 0;
  for (std::size_t i = 0; i < 200; ++i) {
    wrong += touched.conflicts(storage(i), TouchedStorages::read) != (i >= 100 && i < 150);
    wrong += touched.conflicts(storage(i), TouchedStorages::write) != (i < 150);
  }
  CHECK(wrong == 0);
  touched.clear();
  CHECK_FALSE(touched.conflicts(storage(120), TouchedStorages::read));
}

TEST_CASE("programs are the same where their numbers are") {
  using weft::cuda::same_program;
  using weft::detail::Lowering;
  const weft::Tensor x = weft::ones({3});
  const auto program = [&](float number) {
    const auto e = exp(x) * number + 1.0F;
    weft::detail::Operand operands[4];
    return Lowering<std::remove_const_t<decltype(e)>>::template lower<1>(e, operands);
  };
  CHECK(same_program(program(2), program(2)));
  CHECK_FALSE(same_program(program(2), program(3)));
}
