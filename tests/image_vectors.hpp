// What the tests of layers for images include: PyTorch's numbers, and how they are compared.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "gradients.hpp"
#include "images.hpp"
#include "weft/io/safetensors.hpp"
#include "weft/nn/module.hpp"
#include "weft/nn/state.hpp"

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

/// The same for a module, whose parameters' gradients and buffers are compared too.
template <class D, class M>
void compare_layer(const std::string& name, const M& made, bool last) {
  using namespace weft;
  M module = nn::clone(made);
  nn::load_state_dict(module, images().under(name + ".before."));
  const auto given = images<double, D>(name + ".x");
  const auto x = last ? channels_last(given) : given;
  compare_image<D>(name, x, [&](const auto& v) { return module(v); });
  nn::visit(module, [&](const std::string& key, const auto& p) {
    CAPTURE(key);
    if constexpr (weft::detail::is_var<std::remove_cvref_t<decltype(p)>>) {
      CHECK(allclose(p.grad(), images<double, D>(name + ".grad." + key), {1e-8, 1e-8}));
    } else if constexpr (std::is_same_v<typename std::remove_cvref_t<decltype(p)>::value_type,
                                        double>) {
      CHECK(allclose(p, images<double, D>(name + ".after." + key), {1e-9, 1e-9}));
    } else {
      CHECK(p.item() == 1);
    }
  });
  if (!images().contains(name + ".eval")) return;
  nn::eval(module);
  CHECK(allclose(module(Var(x)).detach(), images<double, D>(name + ".eval"), {1e-9, 1e-9}));
}
template <class D, class M>
void compare_layers(const std::string& name, const M& module) {
  compare_layer<D>(name, module, false);
  compare_layer<D>(name, module, true);
}

}  // namespace test
