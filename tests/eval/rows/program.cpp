// SPDX-License-Identifier: Apache-2.0
#include <weft/eval/rows/program.hpp>

#include "test.hpp"

using weft::axis;
using weft::keepdims;
using namespace weft::detail;

namespace {

const auto x = weft::zeros({3, 4});
const auto y = weft::zeros({3, 4});
const auto cube = weft::zeros({2, 3, 4});

using X = std::remove_const_t<decltype(x)>;
template <class E>
using node_of = node_t<std::remove_cvref_t<E>>;
using Softmax = decltype(softmax(x));
using Sum = node_of<decltype(sum(x))>;
static_assert(!has_reduction<X>);
static_assert(has_reduction<Sum> && !is_row_expression<Sum>);  // has kernels of its own
static_assert(is_row_expression<Softmax>);
static_assert(is_row_expression<node_of<decltype(sum(x - mean(x)))>>);
static_assert(!is_row_expression<decltype(x + y)>);

template <class E>
struct Found {
  using Lower = RowLowering<E>;
  static constexpr int leaves = count(typename Lower::types{});
  static constexpr int reductions = Lower::reductions;
  Operand operands[leaves + 1];
  RowNode nodes[reductions];
  decltype(Lower::template lower<1, 0>(std::declval<const E&>(), nullptr, nullptr)) part;

  template <class Given>
  explicit Found(const Given& e) : part(Lower::template lower<1, 0>(node(e), operands, nodes)) {}
};
template <class Given>
Found(const Given&) -> Found<node_of<Given>>;

/// The first operand's elements 1, 2, ... and reductions 10, 20, ...
struct Inputs {
  template <int I>
  WEFT_HD float get() const {
    return static_cast<float>(I);
  }
  template <int I>
  WEFT_HD float reduced() const {
    return static_cast<float>(10 * (I + 1));
  }
};

}  // namespace

TEST_CASE("reductions come before what needs them") {
  const Found found(softmax(x));
  static_assert(decltype(found)::leaves == 4 && decltype(found)::reductions == 3);
  const RowNode* nodes = found.nodes;
  CHECK(nodes[0].parent == RowNode::none);  // max in the numerator
  CHECK(nodes[1].parent == 2);              // max inside the sum
  CHECK(nodes[2].parent == RowNode::none);
  CHECK(nodes[1].same == 0);
  CHECK(nodes[2].same == 2);
  CHECK(nodes[2].first == 1);
  CHECK(nodes[2].first_leaf == 3);
  CHECK(nodes[2].last_leaf == 5);
  CHECK(nodes[2].shape == weft::Shape{3, 4});
  CHECK(nodes[2].result == weft::Shape{3, 1});
  CHECK(nodes[2].itemsize == 4);
}

TEST_CASE("programs read elements and values") {
  const Found found(x * 2.F - sum(y, axis(1), keepdims));
  CHECK(found.part.program(Inputs{}) == 1 * 2 - 10);
  static_assert(uses_of<decltype(found.part.program)> == 0b10);
  static_assert(uses_of<decltype(found.part.reductions.head.program)> == 0b100);
}

TEST_CASE("equal expressions have the same operands, numbers and axes") {
  const auto same = [](const auto& a, const auto& b) { return same_value(node(a), node(b)); };
  CHECK(same(x + 1.F, x + 1.F));
  CHECK_FALSE(same(x + 1.F, x + 2.F));
  CHECK_FALSE(same(x + 1.F, y + 1.F));
  CHECK_FALSE(same(x + 0.F, x + -0.F));
  CHECK(same(max(x, axis(1)), max(x, axis(-1))));
  CHECK(same(max(x, axis(1)), max(x, axis(-1), keepdims)));
  CHECK_FALSE(same(max(x, axis(1)), max(x, axis(0))));
  CHECK_FALSE(same(max(x, axis(1)), max(x.flip(0), axis(1))));
  CHECK_FALSE(same(var(x), var(x, weft::correction(0))));
  CHECK_FALSE(same(weft::uniform({3}), weft::uniform({3})));
}

TEST_CASE("operands whose axes move conflict with an overlapping target") {
  const auto moved = [](const auto& e) { return Found(e).operands[1].moved; };
  CHECK(moved(sum(x, axis(1)) + 1.F));
  CHECK(moved(sum(cube, axis(0, 2)) + 1.F));
  CHECK(moved(sum(sum(cube, axis(1)), axis(0)) + 1.F));
  CHECK_FALSE(moved(sum(x, axis(1), keepdims) + 1.F));
  CHECK_FALSE(moved(sum(x, axis(0)) + 1.F));
  CHECK_FALSE(moved(sum(cube, axis(0, 1)) + 1.F));
  CHECK_FALSE(moved(sum(x) + 1.F));
  CHECK_FALSE(moved(sum(sum(x, axis(1))) + 1.F));
}
