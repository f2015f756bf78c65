// What the tests of models share: torchvision's names and shapes, and its logits.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <fstream>
#include <sstream>

#include "gradients.hpp"
#include "images.hpp"
#include "weft/io/safetensors.hpp"
#include "weft/nn/module.hpp"
#include "weft/nn/state.hpp"

namespace test {

/// Whether a network's state has torchvision's names and shapes, in its order.
template <class M>
void compare_names(const std::string& name, const M& net) {
  CAPTURE(name);
  std::ifstream in(std::filesystem::path(__FILE__).parent_path() / "names.txt");
  std::vector<std::string> wanted;
  for (std::string line; std::getline(in, line);) {
    if (line.rfind(name + " ", 0) == 0) wanted.push_back(line.substr(name.size() + 1));
  }
  std::vector<std::string> found;
  weft::nn::visit(net, [&](const std::string& key, const auto& x) {
    std::ostringstream line;
    line << key;
    for (const weft::int64_t size : x.shape()) line << " " << size;
    found.push_back(line.str());
  });
  CHECK(wanted.size() > 0);
  CHECK(found == wanted);
}

/// Whether torchvision's weights give torchvision's logits, in both memory formats.
template <class D, class M>
void compare_logits(const std::string& name, M& net) {
  using namespace weft;
  CAPTURE(name);
  static const StateDict dict = load_safetensors(
      (std::filesystem::path(__FILE__).parent_path().parent_path() / "data/models.safetensors")
          .string());
  nn::load_state_dict(net, dict.under(name + ".state."));
  nn::eval(net);
  const NoGrad guard;
  const auto x = dict.at(name + ".x").to<float>(D{});
  const auto y = dict.at(name + ".y").to<float>(D{});
  CHECK(allclose(net(Var(x)).detach(), y, {1e-4, 1e-4}));
  CHECK(allclose(net(Var(channels_last(x))).detach(), y, {1e-4, 1e-4}));
}

}  // namespace test
