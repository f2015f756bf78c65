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

TEST_CASE("a Dict's entries by name and by place") {
  nn::Dict<int> dict;
  dict.add("one", 1);
  dict.add("two", 2);
  dict["two"] = 3;
  const auto& same = dict;
  CHECK(same["two"] == 3);
  CHECK(same[0] == 1);
  CHECK_SAYS("[Dict] no entry three among 2", dict["three"]);
}
