// What the tests of modules and optimizers include: PyTorch's numbers.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "gradients.hpp"
#include "weft/io/safetensors.hpp"
#include "weft/nn/losses/loss.hpp"

namespace test {

/// What scripts/make_training_vectors.py and make_breadth_vectors.py have written.
inline const weft::StateDict& pytorch() {
  static const weft::StateDict dict = [] {
    const auto folder = std::filesystem::path(__FILE__).parent_path() / "nn/data";
    weft::StateDict all = weft::load_safetensors((folder / "training.safetensors").string());
    all.add(weft::load_safetensors((folder / "breadth.safetensors").string()));
    return all;
  }();
  return dict;
}

template <class T, class D>
weft::Tensor<T, D> pytorch(const std::string& name, D device = {}) {
  return pytorch().at(name).template to<T>(device);
}

/// For two reductions f(parameters, tag) and the gradients of the sum of its squares are those in
/// the file; `starts` names the parameters' values.
template <class D, class F>
void compare_loss(const std::string& name, const std::vector<const char*>& starts, const F& f) {
  const auto each = [&](const char* reduction, auto tag) {
    const std::string key = name + "." + reduction;
    CAPTURE(key);
    std::vector<weft::Var<double, D>> xs;
    for (const char* start : starts) xs.push_back(weft::parameter(pytorch<double, D>(start)));
    const weft::Var<double, D> value = f(xs, tag);
    CHECK(weft::allclose(value.detach(), pytorch<double, D>(key), {1e-10, 1e-10}));
    weft::Var<double, D>(weft::sum(value * value)).backward();
    for (std::size_t i = 0; i < xs.size(); ++i) {
      CAPTURE(i);
      CHECK(weft::allclose(xs[i].grad(), pytorch<double, D>(key + ".grad" + std::to_string(i)),
                           {1e-9, 1e-9}));
    }
  };
  each("mean", weft::nn::reduce::mean);
  each("none", weft::nn::reduce::none);
}

}  // namespace test
