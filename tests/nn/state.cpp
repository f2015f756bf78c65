#include "weft/nn/state.hpp"

#include "gradients.hpp"
#include "weft/nn/layers.hpp"
#include "weft/nn/linear.hpp"
#include "weft/nn/module.hpp"
#include "weft/nn/norm.hpp"

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
