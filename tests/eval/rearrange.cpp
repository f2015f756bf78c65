#include "weft/eval/rearrange.hpp"

#include "array.hpp"
#include "weft/ops/shape/repeat.hpp"
#include "weft/ops/shape/roll.hpp"

using namespace weft;
using weft::detail::write_pieces;

namespace test {
/// A rearrangement that is computed element by element on the CPU too.
template <class K, class E>
struct InKernel : NodeMembers<InKernel<K, E>> {
  using value_type = typename E::value_type;
  using device_type = typename E::device_type;
  static constexpr bool is_expression = true;
  static constexpr const char* text = K::text;
  Rearranged<K, E> node;
  explicit InKernel(const Rearranged<K, E>& e) : node(e) {}
  using NodeMembers<InKernel>::shape;
  const Shape& shape() const { return node.shape(); }
  const Pack<E>& args() const { return node.args(); }
};
}  // namespace test

namespace weft::detail {
template <class K, class E>
struct Lowering<test::InKernel<K, E>> : RearrangedLowering<K, E> {
  using Base = RearrangedLowering<K, E>;
  template <int B>
  static auto lower(const test::InKernel<K, E>& e, Operand* operands) {
    return Base::template lower<B>(e.node, operands);
  }
};
}  // namespace weft::detail

namespace {
/// Whether views side by side hold what the expression has.
template <class K, class E>
bool pieces_agree(const Rearranged<K, E>& e) {
  const auto out = full<float>(e.shape(), -99.0F, e.operand().device());
  write_pieces<K>(e.places(), e.operand(), out, e.fill());
  const Tensor<float, typename E::device_type> single(test::InKernel<K, E>{e});
  const auto values = e.eval().to_vector();
  return out.to_vector() == values && single.to_vector() == values;
}
}  // namespace

TEST_CASE_TEMPLATE("pieces that are views, for what no kernel counts", D, TEST_DEVICES) {
  const Tensor x = arange<float>(12).to(D{}).reshape(3, 4);
  CHECK(pieces_agree(roll(x, {1, -1}, axis(0, 1))));
  CHECK(pieces_agree(tile(x.t(), {2, 3})));
  CHECK(pieces_agree(repeat_interleave(x, 3, 1)));
  for (const PadMode mode : {PadMode::constant, PadMode::replicate, PadMode::symmetric}) {
    CHECK(pieces_agree(pad(x, {2, 1, 0, 1}, mode, 9)));
  }
}

TEST_CASE("what kernels count in 32 bits") {
  using weft::detail::fits_in_kernel;
  Places places(Shape{1, 1});
  places.add({0, 1, std::int64_t{1} << 29, 0, PadMode::constant});
  CHECK(fits_in_kernel(places));
  places.add({1, 1, std::int64_t{1} << 31, 0, PadMode::constant});
  CHECK_FALSE(fits_in_kernel(places));
}

TEST_CASE_TEMPLATE("more axes than a kernel's parameters hold", D, TEST_DEVICES) {
  const Tensor x = arange<float>(32).to(D{}).reshape(2, 2, 2, 2, 2);
  CHECK(pieces_agree(roll(x, 1, axis(0, 1, 2, 3, 4))));
  CHECK(roll(x, 1, axis(0, 1, 2, 3, 4)).to_vector()[0] == 31);
  CHECK(pad(x, {{1, 0}, {0, 1}, {1, 1}, {0, 2}, {1, 0}}).shape() == Shape{3, 3, 4, 4, 3});
}

TEST_CASE_TEMPLATE("equal rearrangements in a row program are one", D, TEST_DEVICES) {
  const Tensor x = arange<float>(6).to(D{}).reshape(2, 3);
  const auto e = roll(x, 1, 1);
  CHECK(weft::detail::same_value(e, roll(x, 1, 1)));
  CHECK_FALSE(weft::detail::same_value(e, roll(x, 2, 1)));
  CHECK(Tensor(e - max(e, axis(1), keepdims)).to_vector() ==
        std::vector<float>{0, -2, -1, 0, -2, -1});
}
