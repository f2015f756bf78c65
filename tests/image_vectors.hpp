// What the tests of layers for images include: PyTorch's numbers, and how they are compared.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "gradients.hpp"
#include "images.hpp"
#include "weft/io/safetensors.hpp"

namespace test {

/// What scripts/make_image_vectors.py has written.
inline const weft::StateDict& images() {
  static const weft::StateDict dict = weft::load_safetensors(
      (std::filesystem::path(__FILE__).parent_path() / "nn/data/images.safetensors").string());
  return dict;
}
template <class T, class D>
weft::Tensor<T, D> images(const std::string& name, D device = {}) {
  return images().at(name).template to<T>(device);
}

/// Whether f's value at x and the gradient of x, of the script's loss, are PyTorch's.
template <class D, class F>
void compare_image(const std::string& name, const weft::Tensor<double, D>& at, const F& f) {
  using namespace weft;
  CAPTURE(name);
  const Var x = parameter(at);
  const Var y = f(x);
  CHECK(allclose(y.detach(), images<double, D>(name + ".y"), {1e-9, 1e-9}));
  const Tensor<double, D> weight =
      cast<double>(arange<int64_t>(1, y.size() + 1)).eval().to(D{}).reshape(y.shape()) /
      static_cast<double>(y.size());
  const Var loss = sum(y * y * weight);
  loss.backward();
  CHECK(allclose(x.grad(), images<double, D>(name + ".dx"), {1e-8, 1e-8}));
}
/// The same with x in both memory formats.
template <class D, class F>
void compare_images(const std::string& name, const F& f) {
  const auto x = images<double, D>(name + ".x");
  compare_image<D>(name, x, f);
  compare_image<D>(name, weft::channels_last(x), f);
}

}  // namespace test
