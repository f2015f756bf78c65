#include "weft/eval/join.hpp"

#include "array.hpp"
#ifdef __CUDACC__
#include "cuda/graph_nodes.hpp"
#endif

using namespace weft;
using Floats = std::vector<float>;

TEST_CASE_TEMPLATE("parts inside a statement", D, TEST_DEVICES) {
  const Tensor x = arange<float>(8).to(D{}).reshape(2, 4);
  const Tensor c = tensor({10.0F, 20.0F, 30.0F, 40.0F}, D{});
  const auto left = x(weft::all, slice(0, 2));
  const auto right = x(weft::all, slice(2, 4));
  const Tensor rotated = x * c + cat(-right, left, axis(-1)) * 2.0F;
  CHECK(rotated.to_vector() == Floats{-4, 14, 60, 122, 28, 86, 188, 290});
  const Tensor three = cat(left * tensor({{1.0F}, {2.0F}}, D{}), tensor({{7.0F}, {8.0F}}, D{}),
                           right + c(slice(0, 2)), axis(1)) +
                       tensor({{1.0F}, {-1.0F}}, D{});
  CHECK(three.to_vector() == Floats{1, 2, 8, 13, 24, 7, 9, 7, 15, 26});
  const Tensor below = cat(x, x * 2.0F, axis(0)) - c;
  CHECK(below(3).to_vector() == Floats{-2, -10, -18, -26});
  const Tensor stacked = stack(x, exp(c * 0.0F) + x, axis(1)) * tensor({{1.0F}, {10.0F}}, D{});
  CHECK(stacked.shape() == Shape{2, 2, 4});
  CHECK(stacked(1).to_vector() == Floats{4, 5, 6, 7, 50, 60, 70, 80});
  const Tensor behind = stack(left, right, axis(-1)) * 1.0F;
  CHECK(behind.to_vector() == Floats{0, 2, 1, 3, 4, 6, 5, 7});
  Tensor z = x.clone();
  z = z +
      cat(z(weft::all, slice(2, 4)), z(weft::all, slice(0, 2)), axis(1));  // reads what it writes
  CHECK(z.to_vector() == Floats{2, 4, 2, 4, 10, 12, 10, 12});
  CHECK(Tensor(cat(max(x, axis(1)), c, axis(0)) * 2.0F).to_vector() ==
        Floats{6, 14, 20, 40, 60, 80});
  CHECK(Tensor(sum(cat(x, c.expand({1, 4}), axis(0)) * 2.0F, axis(1))).to_vector() ==
        Floats{12, 44, 200});
  CHECK(Tensor(softmax(cat(x, x, axis(1)), axis(1))).shape() == Shape{2, 8});
}

namespace {
/// Whether the parts of a joined node, read where they stand, are what the node is.
template <class E>
bool parts_agree(const E& e) {
  const Tensor whole = e.eval();
  const Tensor parts = weft::detail::JoinedParts<E>::of(e);
  return parts.shape() == whole.shape() && parts.to_vector() == whole.to_vector();
}
}  // namespace

TEST_CASE_TEMPLATE("parts read where they stand", D, TEST_DEVICES) {
  const Tensor x = arange<float>(6).to(D{}).reshape(2, 3);
  const Tensor row = tensor({7.0F, 8.0F, 9.0F}, D{});
  const Tensor column = tensor({{0.5F}, {0.25F}}, D{});
  CHECK(parts_agree(cat(x * row, x - column, axis(0))));
  CHECK(parts_agree(cat(x * row, column, 1.0F + x, axis(1))));
  CHECK(parts_agree(cat(column, column * 2.0F, axis(-1))));
  CHECK(parts_agree(stack(x + row, x * column, axis(1))));
  CHECK(parts_agree(stack(row, row * 2.0F, axis(-1))));
}

#ifdef __CUDACC__
TEST_CASE("[gpu] statements with parts and borders are one kernel") {
  const Cuda d;
  const auto x = weft::ones<float>({64, 32}, d);
  const auto left = x(weft::all, slice(0, 16));
  const auto right = x(weft::all, slice(16, 32));
  Tensor z = empty<float>({64, 32}, d);
  const auto kernels = [&](const auto& e) {
    const GraphNodes nodes = captured([&] { z.assign(e); });
    return nodes.kernels + nodes.copies + nodes.memsets;
  };
  CHECK(kernels(x * 0.5F + cat(-right, left, axis(-1)) * x) == 1);
  CHECK(kernels(pad(left, {8, 8}, PadMode::reflect) + x) == 1);
  CHECK(kernels(pad(left * 2.0F + right, {8, 8}) - x) == 1);
}
#endif
