// What the tests of attention, Transformers and recurrent layers include: PyTorch's numbers.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "gradients.hpp"
#ifdef __CUDACC__
#include "weft/cuda/attention.hpp"
#endif
#include "weft/io/safetensors.hpp"
#include "weft/nn/module.hpp"
#include "weft/nn/state.hpp"

namespace test {

/// What scripts/make_sequence_vectors.py has written.
inline const weft::StateDict& sequence() {
  static const weft::StateDict dict = weft::load_safetensors(
      (std::filesystem::path(__FILE__).parent_path() / "nn/data/sequence.safetensors").string());
  return dict;
}
template <class D>
weft::Tensor<double, D> sequence(const std::string& name) {
  return sequence().at(name).template to<double>(D{});
}
/// Of a mask, which the file has as integers.
template <class D>
weft::Tensor<bool, D> sequence_mask(const std::string& name) {
  return sequence().at(name).template to<std::int64_t>(D{}) != std::int64_t{0};
}
template <class D>
weft::Var<double, D> sequence_input(const std::string& name) {
  return weft::parameter(sequence<D>(name));
}

/// The loss that the gradients in the file are of: each square times its number.
template <class V>
auto weighted(const V& y) {
  using D = typename V::device_type;
  const weft::Tensor<double, D> weight =
      weft::cast<double>(weft::arange<std::int64_t>(1, y.size() + 1).to(D{}))
          .eval()
          .reshape(y.shape());
  const weft::Var out = weft::sum(y * y * weight);
  return out;
}

template <class D, class V>
bool matches(const V& value, const std::string& name, double tolerance = 1e-9) {
  return weft::allclose(value, sequence<D>(name), {tolerance, tolerance});
}

/// Whether the gradients of a module's parameters are those in the file.
template <class D, class M>
bool gradients_match(const M& module, const std::string& name) {
  bool all = true;
  std::int64_t count = 0;
  for (const auto& [key, x] : weft::nn::named_parameters(module)) {
    const bool same = matches<D>(x.grad(), name + ".grad." + key, 1e-8);
    if (!same) MESSAGE("the gradient of ", name, " with respect to ", key);
    all = all && same;
    ++count;
  }
  return all && count > 0;
}

}  // namespace test
