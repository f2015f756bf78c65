#include "weft/autograd/expression/segment.hpp"

#include "gradients.hpp"
#include "weft/core/small.hpp"

using namespace weft;
using autograd::Segment;
using weft::detail::count;

static_assert(sizeof(autograd::unread_element) >= sizeof(Small<double, 8, 8>));

TEST_CASE("which parts of an expression get gradients") {
  const Var x = ones({2, 3});
  const Tensor t = ones({3});
  const auto e = x * t + sum(x, axis(-1), keepdims) * 2.0F;
  using Parts = Segment<std::remove_const_t<decltype(e)>>;
  CHECK(count(Parts::types{}) == 3);  // x, t and the sum
  CHECK(count(Parts::ports{}) == 2);
  CHECK(Parts::mask<1> == 0b1010);
  int inner = 0;
  autograd::for_each_inner<std::remove_const_t<decltype(e)>>(
      autograd::without_vars(e),
      [&]<class E, int Port, int Edge>(const autograd::without_vars_t<E>& part) {
        ++inner;
        CHECK(Port == 1);
        CHECK(Edge == 1);
        CHECK(part.shape() == Shape{2, 1});
      });
  CHECK(inner == 1);
}

TEST_CASE("ports that are one Var share a slot; broadcast ones are found") {
  autograd::VariableOf<float, Cpu> variables[2];
  variables[0].active = true;
  autograd::Variable* const edges[] = {&variables[0], &variables[1], &variables[0]};
  const int counts[] = {1, 1, 1};
  const bool leaves[] = {true, true, true};
  weft::detail::Operand operands[4];
  for (int i = 1; i < 4; ++i) operands[i].set(nullptr, 4, {2, 3}, {3, 1}, nullptr);
  operands[2].set(nullptr, 4, {3}, {1}, nullptr);
  autograd::PortState ports[3];
  autograd::plan_ports(ports, 3, edges, counts, leaves, operands, 0b1110, {2, 3});
  CHECK(ports[0].wanted);
  CHECK_FALSE(ports[1].wanted);
  CHECK(ports[2].slot == 0);
  CHECK(ports[1].slot == 1);
  CHECK(ports[0].full);
  CHECK_FALSE(ports[1].full);
  CHECK(autograd::broadcast_axes({3, 1}, {2, 3, 4}).mask == 0b101);
}
