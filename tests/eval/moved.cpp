#include "weft/eval/moved.hpp"

#include "array.hpp"
#include "weft/ops/shape/repeat.hpp"
#include "weft/ops/shape/roll.hpp"

using namespace weft;

namespace {
/// Whether an expression of moved tensors is the moved expression.
template <class K, class E>
bool leaves_agree(const Rearranged<K, E>& e) {
  const Tensor whole = e.eval();
  const Tensor leaves = weft::detail::MovedWhole<K, E>::of(e);
  return leaves.shape() == whole.shape() && leaves.to_vector() == whole.to_vector();
}
}  // namespace

TEST_CASE_TEMPLATE("an expression moves by its tensors", D, TEST_DEVICES) {
  const Tensor x = arange<float>(1, 7).to(D{}).reshape(2, 3);
  const Tensor row = tensor({7.0F, 8.0F, 9.0F}, D{});
  const Tensor column = tensor({{0.5F}, {0.25F}}, D{});
  const auto e = x * column + row;
  for (const PadMode mode : {PadMode::constant, PadMode::reflect, PadMode::circular}) {
    CHECK(leaves_agree(pad(e, {2, 1, 1, 1}, mode, -1)));
  }
  CHECK(leaves_agree(pad(exp(row * 0.0F), {-1, 2})));
  CHECK(leaves_agree(roll(e, {1, -1}, axis(0, 1))));
  CHECK(leaves_agree(shift(column * 2.0F, 1, 0, 5)));
  CHECK(leaves_agree(shift(column * 2.0F, 1, 1, 5)));
  CHECK(leaves_agree(repeat_interleave(column * row, 2, 0)));
  CHECK(leaves_agree(repeat_interleave(row + column, 2, 1)));
  CHECK(Tensor(softmax(roll(e, 1, 1) * 0.0F, axis(1))).to_vector()[0] == doctest::Approx(1.0 / 3));
}
