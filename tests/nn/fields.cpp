// SPDX-License-Identifier: Apache-2.0
#include "weft/nn/fields.hpp"

#include "test.hpp"
#include "weft/nn/layers/linear.hpp"
#include "weft/nn/layers/sequential.hpp"

using namespace weft;

namespace {
struct Pair {
  nn::Linear<> inner{2, 2};
  Var<float> scale = parameter(ones({2}));
  auto fields() { return nn::fields("inner", inner, "scale", scale); }
};
}  // namespace

static_assert(nn::Module<Pair> && nn::Module<const Pair> && !nn::Module<Tensor<float>>);
static_assert(std::is_same_v<nn::parameter_t<Pair>, Var<float>>);
static_assert(std::is_void_v<nn::parameter_t<nn::Sequential<nn::ReLU, nn::Dropout>>>);
static_assert(std::is_same_v<nn::parameter_t<nn::Sequential<nn::ReLU, nn::Linear<Cpu, double>>>,
                             Var<double>>);

namespace {
struct Shifted : Pair {
  Var<float> shift = parameter(zeros({2}));
  auto fields() { return nn::fields(Pair::fields(), "shift", shift); }
};
}  // namespace
static_assert(nn::Module<Shifted>);

TEST_CASE("a base class's fields come first") {
  Shifted shifted;
  const nn::Fields<nn::Linear<>, Var<float>, Var<float>> fields = shifted.fields();
  CHECK(&fields.rest.first.value == &shifted.scale);
  CHECK(fields.rest.rest.first.name.string() == "shift");
  CHECK(&fields.rest.rest.first.value == &shifted.shift);
}

TEST_CASE("fields are references by their names, in order") {
  Pair pair;
  const nn::Fields<nn::Linear<>, Var<float>> fields = pair.fields();
  CHECK(fields.first.name.string() == "inner");
  CHECK(&fields.first.value == &pair.inner);
  CHECK(fields.rest.first.name.string() == "scale");
  CHECK(&fields.rest.first.value == &pair.scale);
  CHECK(nn::FieldName(std::size_t{12}).string() == "12");
}
