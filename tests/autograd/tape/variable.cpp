#include "weft/autograd/tape/variable.hpp"

#include <string>

#include "gradients.hpp"

using namespace weft;
using autograd::Ref;
using autograd::VariableOf;

TEST_CASE_TEMPLATE("the first gradient of a pass finds new memory, others are added", D,
                   TEST_DEVICES) {
  const Ref<VariableOf<float, D>> leaf(new VariableOf<float, D>);
  auto sink = leaf->open({2}, D{});
  CHECK_FALSE(sink.adds);
  sink.buffer.fill(1);
  CHECK(leaf->has_gradient);
  CHECK_FALSE(leaf->is_pending());
  CHECK(leaf->open({2}, D{}).adds);
  leaf->give(full<float>({2}, 2.0F, D{}));
  CHECK(leaf->gradient.to_vector() == std::vector<float>(2, 3));
  CHECK_FALSE(leaf->has_nan());
  leaf->gradient.fill(std::nanf(""));
  CHECK(leaf->has_nan());
}

TEST_CASE("nodes are numbered in the order of their creation") {
  const Var x = parameter(ones<double>({2}));
  const Var y = x * 2.0;
  const Var z = x * 3.0;
  CHECK(y.variable()->creator->sequence < z.variable()->creator->sequence);
  CHECK(std::string(autograd::described(*y.variable()->creator)).find("mul(double, number) at ") ==
        0);
}
