// What the tests of modules and optimizers include: PyTorch's numbers.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "gradients.hpp"
#include "weft/io/safetensors.hpp"

namespace test {

/// What scripts/make_training_vectors.py has written.
inline const weft::StateDict& pytorch() {
  static const weft::StateDict dict = weft::load_safetensors(
      (std::filesystem::path(__FILE__).parent_path() / "nn/data/training.safetensors").string());
  return dict;
}

template <class T, class D>
weft::Tensor<T, D> pytorch(const std::string& name, D device = {}) {
  return pytorch().at(name).template to<T>(device);
}

}  // namespace test
