#include "weft/core/node.hpp"

#include <weft/weft.hpp>

#include "test.hpp"

using Floats = weft::Tensor<float>;
static_assert(weft::Node<decltype(Floats() + 1)>);
static_assert(weft::Node<decltype(sum(Floats()))>);
static_assert(weft::Node<decltype(take(Floats(), weft::Tensor<int>(), weft::axis(0)))>);
static_assert(weft::Node<decltype(cumsum(Floats()))>);
static_assert(weft::Node<decltype(matmul(Floats(), Floats()))>);
static_assert(!weft::Node<Floats>);
static_assert(!weft::Node<int>);

static_assert(weft::OpaqueNode<decltype(cumsum(Floats()))>);
static_assert(weft::OpaqueNode<decltype(matmul(Floats(), Floats()))>);
static_assert(!weft::OpaqueNode<Floats>);
static_assert(!weft::OpaqueNode<decltype(Floats() + 1)>);

namespace {
/// A node of a user's: the values of an expression in the opposite order.
template <class E>
struct Backwards {
  using value_type = typename E::value_type;
  using device_type = typename E::device_type;
  static constexpr bool is_expression = true;
  static constexpr bool is_opaque = true;
  static constexpr const char* text = "backwards";

  weft::Pack<E> operands;

  const weft::Shape& shape() const { return operands.head.shape(); }
  int rank() const { return shape().rank(); }
  int64_t size() const { return shape().size(); }
  const weft::Pack<E>& args() const { return operands; }
  template <class T, class D>
  void evaluate(const weft::Tensor<T, D>& target) const {
    target.assign(weft::Tensor<T, D>(operands.head).flip(0));
  }
};
}  // namespace

TEST_CASE("a node that follows the protocol is evaluated, fused around, named and explained") {
  const weft::Tensor x = weft::tensor({1.0F, 2.0F, 3.0F});
  using Node = Backwards<Floats>;
  static_assert(weft::OpaqueNode<Node>);
  const Node node{{x, {}}};
  const weft::Tensor<float> z = node;
  CHECK(equal(z, weft::tensor({3.0F, 2.0F, 1.0F})));
  CHECK(equal(weft::Tensor<float>(node * 2.0F + x), weft::tensor({7.0F, 6.0F, 5.0F})));
  CHECK(text(weft::detail::name_of<decltype(node * 2.0F)>()) == "mul(backwards(float), number)");
}
