#include "weft/nn/flatten.hpp"

#include "gradients.hpp"
#include "weft/nn/layers/batch_norm.hpp"
#include "weft/nn/layers/linear.hpp"
#include "weft/nn/layers/norm.hpp"
#include "weft/nn/layers/sequential.hpp"
#include "weft/nn/module.hpp"
#include "weft/nn/state.hpp"

using namespace weft;

namespace {
template <class D>
struct Net {
  nn::Linear<D> first{3, 3};
  nn::Linear<D> second{3, 3};
  nn::BatchNorm1d<D> norm{3};
  auto fields() { return nn::fields("first", first, "second", second, "norm", norm); }
};

template <class D>
std::vector<bool> followers(const std::vector<Var<float, D>>& all) {
  std::vector<bool> out;
  for (std::size_t i = 1; i < all.size(); ++i) out.push_back(autograd::follows(all[i - 1], all[i]));
  return out;
}
}  // namespace

TEST_CASE_TEMPLATE("flattening keeps names, values, sharing and what is fixed", D, TEST_DEVICES) {
  Net<D> net;
  net.second.weight = net.first.weight;
  net.first.bias->requires_grad(false);
  const auto before = nn::state_dict(nn::clone(net));
  const auto* const fixed = net.first.bias->detach().data();
  nn::flatten_parameters(net);
  const auto after = nn::state_dict(net);
  CHECK(after.names() == before.names());
  for (const auto& entry : before) {
    const auto& name = entry.first;
    const auto& x = entry.second;
    CAPTURE(name);
    if (name == "norm.num_batches_tracked") continue;
    CHECK(equal(x.template get<float, D>(), after.template get<float, D>(name)));
  }
  CHECK(net.second.weight.variable().get() == net.first.weight.variable().get());
  CHECK(net.second.weight.detach().data() == net.first.weight.detach().data());
  CHECK(net.first.bias->detach().data() == fixed);
  CHECK_FALSE(net.first.bias->requires_grad());
  const auto parameters = nn::parameters(net);
  CHECK(parameters.size() == 4);
  CHECK(followers(parameters) == std::vector<bool>(3, true));
  CHECK(followers(nn::parameters(nn::clone(net))) == std::vector<bool>(3, false));
  nn::load_state_dict(net, before);
  CHECK(followers(nn::parameters(net)) == std::vector<bool>(3, true));
}

TEST_CASE_TEMPLATE("a key puts groups together", D, TEST_DEVICES) {
  Net<D> net;
  const auto is_matrix = [](const std::string&, const auto& x) { return x.rank() > 1; };
  nn::flatten_parameters(net, is_matrix);
  const auto others = [](const std::string&, const auto& x) { return x.rank() == 1; };
  const auto matrices = nn::parameters(net, is_matrix);
  const auto vectors = nn::parameters(net, others);
  CHECK(matrices.size() == 2);
  CHECK(vectors.size() == 4);
  CHECK(followers(matrices) == std::vector<bool>(1, true));
  CHECK(followers(vectors) == std::vector<bool>(3, true));
  CHECK(autograd::follows(vectors[3], matrices[0]));
}

TEST_CASE_TEMPLATE("handles outside of the module are refused", D, TEST_DEVICES) {
  Net<D> net;
  const auto* const before = net.first.weight.detach().data();
  {
    const auto parameters = nn::parameters(net);
    CHECK_SAYS("[flatten_parameters] first.weight has 2 handles, expected 1 in the module alone",
               nn::flatten_parameters(net));
  }
  {
    const Var y = net.second(ones({1, 3}, D{}));
    CHECK_SAYS("second.weight has 2 handles", nn::flatten_parameters(net));
  }
  CHECK(net.first.weight.detach().data() == before);
  nn::flatten_parameters(net);
  CHECK(net.first.weight.detach().data() != before);
}
