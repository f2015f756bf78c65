// SPDX-License-Identifier: Apache-2.0
#include <weft/tensor/state_dict.hpp>

#include "test.hpp"

using weft::StateDict;
using Names = std::vector<std::string>;

TEST_CASE("tensors by name, in order") {
  const auto w = weft::ones({2, 3});
  StateDict dict{{"weight", w}, {"bias", weft::tensor({1, 2})}};
  dict.add("a", weft::zeros<double>({1}));
  CHECK(dict.names() == Names{"weight", "bias", "a"});
  CHECK(dict.size() == 3);
  CHECK(dict.get<float>("weight").data() == w.data());
  CHECK(dict.contains("bias"));
  CHECK(dict.find("none") == nullptr);
  CHECK_SAYS("[StateDict::at] no tensor named 'none' among 3", dict.at("none"));
  CHECK_SAYS("[StateDict::get] 'bias' is int32 on cpu, expected float32 on cpu",
             dict.get<float>("bias"));
  CHECK_SAYS("[StateDict::add] the name 'a' is already taken", dict.add("a", w));
  CHECK(dict.size() == 3);
  dict.set("bias", weft::tensor({5}));
  dict.set("b", weft::tensor({6}));
  CHECK(dict.names() == Names{"weight", "bias", "a", "b"});
  CHECK(dict.get<std::int32_t>("bias").item() == 5);
  CHECK(dict.erase("bias"));
  CHECK(!dict.erase("bias"));
  CHECK(dict.names() == Names{"weight", "a", "b"});
  CHECK(dict.get<std::int32_t>("b").item() == 6);
  dict.set("b", weft::tensor({7}));
  dict.add("bias", weft::tensor({5}));
  CHECK(dict.names() == Names{"weight", "a", "b", "bias"});
  int count = 0;
  for (const auto& [name, tensor] : dict) count += name.size() > 1 ? tensor.rank() : 0;
  CHECK(count == 3);
}

TEST_CASE("dicts inside dicts") {
  const StateDict layer{{"weight", weft::ones({2})}, {"bias", weft::ones({1})}};
  StateDict model;
  CHECK(model.empty());
  model.add(layer, "first.");
  model.add(layer, "second.");
  CHECK(model.names() == Names{"first.weight", "first.bias", "second.weight", "second.bias"});
  CHECK(model.under("second.").names() == layer.names());
  CHECK(model.under("third.").empty());
  CHECK_SAYS("the name 'second.weight' is already taken", model.add(layer, "second."));
  CHECK_SAYS("is already taken", model.add(model));
  CHECK(model.size() == 4);
}
