// SPDX-License-Identifier: Apache-2.0
#include "weft/nn/visit.hpp"

#include "test.hpp"
#include "weft/nn/layers/batch_norm.hpp"
#include "weft/nn/layers/linear.hpp"
#include "weft/nn/layers/norm.hpp"
#include "weft/nn/layers/sequential.hpp"

using namespace weft;

namespace {
struct Block {
  nn::Linear<> inner{2, 2};
  std::vector<nn::Linear<>> layers;
  std::optional<nn::Linear<>> absent;
  Tensor<float> buffer = ones({3});
  Var<float> scale = parameter(ones({2}));
  int option = 3;
  auto fields() {
    return nn::fields("inner", inner, "layers", layers, "absent", absent, "buffer", buffer, "scale",
                      scale, "option", option);
  }
};

template <class M>
std::vector<std::string> names(const M& module) {
  std::vector<std::string> out;
  nn::visit(module, [&](const std::string& name, const auto&) { out.push_back(name); });
  return out;
}
}  // namespace

TEST_CASE("a module's own parameters come first, then buffers, then modules in it") {
  Block block;
  block.layers.resize(2);
  block.layers[0] = nn::Linear(2, 3);
  block.layers[1] = nn::Linear(3, 2, {.bias = false});
  CHECK(names(block) == std::vector<std::string>{"scale", "buffer", "inner.weight", "inner.bias",
                                                 "layers.0.weight", "layers.0.bias",
                                                 "layers.1.weight"});
}

TEST_CASE("names are PyTorch's") {
  const nn::Sequential net{nn::Linear(2, 3), nn::BatchNorm1d(3), nn::ReLU{}, nn::LayerNorm(3)};
  CHECK(names(net) == std::vector<std::string>{"0.weight", "0.bias", "1.weight", "1.bias",
                                               "1.running_mean", "1.running_var",
                                               "1.num_batches_tracked", "3.weight", "3.bias"});
}

TEST_CASE("visit_modules reaches all modules") {
  nn::Sequential net{nn::Dropout{}, nn::Sequential{nn::ReLU{}, nn::Dropout{}}};
  int count = 0;
  nn::visit_modules(net, [&](auto&) { ++count; });
  CHECK(count == 5);
}

namespace {
struct Mixed {
  Var<double> first = parameter(ones<double>({2}));
  std::optional<Tensor<int64_t>> counts = arange<int64_t>(3);
  nn::Dict<Tensor<float>> more;
  auto fields() {
    return nn::fields("first", first, "counts", counts, "more", more, "twice", first);
  }
};
}  // namespace

TEST_CASE("a function sees each field with its own type, and may write it") {
  Mixed mixed;
  mixed.more.add("a", zeros({1}));
  mixed.more.add("b", zeros({4}));
  std::string seen;
  nn::visit(mixed, [&](const std::string& name, auto& x) {
    using X = std::remove_cvref_t<decltype(x)>;
    seen += name + (std::is_same_v<X, Var<double>>       ? " Var<double>, "
                    : std::is_same_v<X, Tensor<int64_t>> ? " Tensor<int64_t>, "
                    : std::is_same_v<X, Tensor<float>>   ? " Tensor<float>, "
                                                         : " ?");
    if constexpr (std::is_same_v<X, Tensor<float>>) x = ones({x.size()});
  });
  CHECK(
      seen ==
      "first Var<double>, twice Var<double>, counts Tensor<int64_t>, more.a Tensor<float>, more.b "
      "Tensor<float>, ");
  CHECK(equal(mixed.more[1], ones({4})));
}
