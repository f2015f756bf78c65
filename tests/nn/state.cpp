#include "weft/nn/state.hpp"

#include "gradients.hpp"
#include "weft/nn/layers/batch_norm.hpp"
#include "weft/nn/layers/linear.hpp"
#include "weft/nn/layers/norm.hpp"
#include "weft/nn/layers/sequential.hpp"
#include "weft/nn/module.hpp"

using namespace weft;

TEST_CASE_TEMPLATE("state_dict and back", D, TEST_DEVICES) {
  nn::Sequential net{nn::Linear<D>(2, 3), nn::BatchNorm1d<D>(3)};
  nn::Sequential other{nn::Linear<D>(2, 3), nn::BatchNorm1d<D>(3)};
  const auto weight = nn::parameters(other)[0];
  nn::load_state_dict(other, nn::state_dict(net));
  CHECK(equal(weight.detach(), nn::parameters(net)[0].detach()));  // written in place
  CHECK(weight.requires_grad());
  const StateDict prefixed = nn::state_dict(net, "model.");
  CHECK(prefixed.contains("model.1.running_mean"));
  nn::load_state_dict(other, prefixed.under("model."));
}

TEST_CASE_TEMPLATE("load_state_dict lists all that is wrong, and writes nothing", D, TEST_DEVICES) {
  nn::Sequential net{nn::Linear<D>(2, 3), nn::Linear<D>(3, 1)};
  const Tensor before = net.template get<0>().weight.detach().clone();
  StateDict dict;
  dict.add("0.weight", ones({3, 2}));
  dict.add("0.bias", ones({4}));
  dict.add("1.weight", ones<double>({1, 3}));
  dict.add("2.weight", ones({1}));
  const auto says = test::message([&] { nn::load_state_dict(net, dict); });
  CHECK(says == doctest::Contains("missing 1.bias; unexpected 2.weight; mismatched "
                                  "0.bias of shape (4,) for (3,), "
                                  "1.weight of type float64 for float32"));
  CHECK(test::message([&] { nn::load_state_dict(net, dict, {.strict = false}); }) ==
        doctest::Contains("[load_state_dict] mismatched 0.bias"));
  CHECK(equal(net.template get<0>().weight.detach(), before));

  StateDict part;
  part.add("0.weight", ones({3, 2}));
  part.add("other", ones({1}));
  const auto result = nn::load_state_dict(net, part, {.strict = false});
  CHECK(result.missing == std::vector<std::string>{"0.bias", "1.weight", "1.bias"});
  CHECK(result.unexpected == std::vector<std::string>{"other"});
  CHECK(all(net.template get<0>().weight.detach() == 1.0F).item());
}

TEST_CASE_TEMPLATE("load_state_dict under a prefix and by other names", D, TEST_DEVICES) {
  const nn::Sequential source{nn::Linear<D>(2, 3), nn::ReLU{}, nn::Linear<D>(3, 4)};
  nn::Sequential net{nn::Linear<D>(2, 3), nn::Linear<D>(3, 4)};
  StateDict file = nn::state_dict(source, "model.");
  file.add("optimizer.step", ones({}));
  const auto loaded = [&] {
    bool same = true;
    for (const char* name : {"0.weight", "0.bias", "1.weight", "1.bias"}) {
      const std::string there = std::string("model.") + (name[0] == '0' ? "0" : "2") + (name + 1);
      const Tensor<float, D> mine = nn::state_dict(net).template get<float, D>(name);
      same = same && equal(mine, file.get<float, D>(there));
      mine.fill(0);
    }
    return same;
  };
  const auto result = nn::load_state_dict(net, file, {.prefix = "model.", .rename = {{"2", "1"}}});
  CHECK(result.unexpected.empty());  // what has another prefix is not looked at
  CHECK(loaded());
  nn::load_state_dict(net, file.under("model."),
                      {.rename = {{"2.weight", "1.weight"}, {"2.bias", "1.bias"}}});
  CHECK(loaded());
  nn::load_state_dict(net, file, {.rename = [](std::string name) {
                        if (!name.starts_with("model.")) return std::string();
                        name = name.substr(6);
                        if (name[0] == '2') name[0] = '1';
                        return name;
                      }});
  CHECK(loaded());
}

TEST_CASE("load_state_dict names what is in the file as it is there") {
  nn::Sequential net{nn::Linear(2, 3), nn::Linear(3, 4)};
  const auto says = [&](const StateDict& dict, const nn::LoadOptions& options) {
    return test::message([&] { nn::load_state_dict(net, dict, options); });
  };
  StateDict file = nn::state_dict(nn::Sequential{nn::Linear(2, 3), nn::Linear(3, 5)}, "m.");
  const nn::LoadOptions all{.prefix = "m.", .rename = {{"1", "head"}, {"0", "1"}, {"head", "2"}}};
  CHECK(says(file, all) ==
        doctest::Contains("[load_state_dict] not there to rename head; missing 0.weight, 0.bias; "
                          "unexpected m.1.weight, m.1.bias; mismatched 1.weight (there m.0.weight)"
                          " of shape (3, 2) for (4, 3), 1.bias (there m.0.bias) of shape (3,)"));
  CHECK(says(file, {.prefix = "n."}) ==
        doctest::Contains("no name begins with n., the first is m.0.weight; missing 0.weight"));
  CHECK(says({}, {.prefix = "n."}) == doctest::Contains("no name begins with n.; missing"));
  CHECK(says(file, {.prefix = "m.", .rename = {{"1", "0"}}}) ==
        doctest::Contains("renamed alike m.0.weight and m.1.weight are 0.weight, m.0.bias and "
                          "m.1.bias are 0.bias; missing 1.weight, 1.bias"));
  StateDict many;
  for (int i = 0; i < 100; ++i) many.add("extra" + std::to_string(i), ones({1}));
  const auto text = says(many, {});
  CHECK(text == doctest::Contains("extra7 and 92 more"));
  CHECK(text != doctest::Contains("extra8"));
  CHECK(nn::load_state_dict(net, many, {.strict = false}).unexpected.size() == 100);
  const auto part = nn::load_state_dict(
      net, file, {.strict = false, .prefix = "m.", .rename = {{"1", ""}, {"5", "6"}}});
  CHECK(part.unexpected.empty());
  CHECK(part.missing == std::vector<std::string>{"1.weight", "1.bias"});
}
