#include "weft/ops/shape/pieces.hpp"

#include <weft/ops/shape/combinations.hpp>
#include <weft/ops/shape/grid.hpp>
#include <weft/ops/shape/stack.hpp>
#include "array.hpp"

using namespace weft;
using Ints = std::vector<std::int64_t>;

namespace {
template <class Pieces>
Ints lengths(const Pieces& pieces, int axis) {
  Ints out;
  for (const auto& piece : pieces) out.push_back(piece.shape()[axis]);
  return out;
}
}  // namespace

TEST_CASE_TEMPLATE("pieces side by side", D, TEST_DEVICES) {
  const Tensor x = arange<std::int64_t>(21).to(D{}).reshape(3, 7);
  CHECK(lengths(split(x, {1, 0, 6}, 1), 1) == Ints{1, 0, 6});
  CHECK(split(x, {2, 5}, 1)[1](0).to_vector() == Ints{2, 3, 4, 5, 6});
  CHECK(lengths(tensor_split(x, 3, 1), 1) == Ints{3, 2, 2});
  CHECK(lengths(array_split(x, 5), 0) == Ints{1, 1, 1, 0, 0});
  CHECK(lengths(tensor_split(x, {2, 2, -1, 99}, 1), 1) == Ints{2, 0, 4, 1, 0});
  CHECK(lengths(hsplit(x, 7), 1) == Ints(7, 1));
  CHECK(vsplit(x, 3)[2].to_vector() == x(2).to_vector());
  CHECK(dsplit(x.reshape(3, 1, 7), 7).size() == 7);
  CHECK(unbind(x, 1)[6].to_vector() == Ints{6, 13, 20});
  CHECK(select(x, axis(-1), -7).to_vector() == Ints{0, 7, 14});
  CHECK_SAYS("[split] lengths (3, 3) for axis 1 of (3, 7), expected a sum of 7",
             split(x, {3, 3}, 1));
  CHECK_SAYS("[split] lengths (8, -1)", split(x, {8, -1}, 1));
  CHECK_SAYS("[tensor_split] a count of 0", tensor_split(x, 0));
  CHECK_SAYS("[select] index 7 of axis 1", select(x, axis(1), 7));
}

TEST_CASE_TEMPLATE("joined by shorter names", D, TEST_DEVICES) {
  const Tensor a = tensor<std::int64_t>({1, 2}, D{});
  const Tensor b = tensor<std::int64_t>({3, 4}, D{});
  CHECK(hstack(a, b, a).to_vector() == Ints{1, 2, 3, 4, 1, 2});
  CHECK(vstack(a, b * 2).to_vector() == Ints{1, 2, 6, 8});
  CHECK(row_stack(a, b).shape() == Shape{2, 2});
  CHECK(dstack(a, b).shape() == Shape{1, 2, 2});
  CHECK(column_stack(a, vstack(a, b)).to_vector() == Ints{1, 1, 2, 2, 3, 4});
  CHECK(append(vstack(a, b), a).to_vector() == Ints{1, 2, 3, 4, 1, 2});
  CHECK(append(vstack(a, b), a.unsqueeze(0), axis(0)).shape() == Shape{3, 2});
  CHECK_SAYS("[cat] shapes (2, 2) and (2,)", append(vstack(a, b), a, axis(0)));
}

TEST_CASE_TEMPLATE("lists joined, and axes in words", D, TEST_DEVICES) {
  const Tensor a = tensor({1, 2}, D{});
  const Tensor b = tensor({3, 4}, D{});
  CHECK(hstack({a, b}).to_vector() == std::vector<int>{1, 2, 3, 4});
  CHECK(vstack({a, b}).shape() == Shape{2, 2});
  CHECK(dstack({a, b}).to_vector() == std::vector<int>{1, 3, 2, 4});
  CHECK(column_stack(std::vector{a, b}).to_vector() == std::vector<int>{1, 3, 2, 4});
  const Tensor x = vstack({a, b});
  CHECK(split(x, {1, 1}, axis(1))[1].to_vector() == std::vector<int>{2, 4});
  CHECK(unbind(x, axis(1))[0].to_vector() == std::vector<int>{1, 3});
  CHECK(expand_dims(x, axis(0)).shape() == Shape{1, 2, 2});
  CHECK_SAYS("[hstack] no tensors", hstack(std::vector<Tensor<int, D>>{}));
}

TEST_CASE_TEMPLATE("grids", D, TEST_DEVICES) {
  const Tensor a = tensor<std::int64_t>({1, 2}, D{});
  const Tensor b = tensor<std::int64_t>({3, 4, 5}, D{});
  const auto [x, y] = meshgrid(a, b);
  CHECK(x.to_vector() == Ints{1, 1, 1, 2, 2, 2});
  CHECK(y.to_vector() == Ints{3, 4, 5, 3, 4, 5});
  const auto [u, v] = meshgrid(Meshgrid::xy, a, b);
  CHECK(u.to_vector() == Ints{1, 2, 1, 2, 1, 2});
  CHECK(v.shape() == Shape{3, 2});
  const auto [i, j] = ix_(a, b);
  CHECK(i.shape() == Shape{2, 1});
  CHECK(j.shape() == Shape{1, 3});
  const auto [p, q] = broadcast_tensors(i, b);
  CHECK(p.shape() == Shape{2, 3});
  CHECK(q.shape() == Shape{2, 3});
  CHECK_SAYS("[meshgrid] an operand of shape (2, 1)", meshgrid(a.unsqueeze(1), b));
  CHECK_SAYS("[broadcast_tensors] shapes", broadcast_tensors(a, b));
  const Tensor ones_of = ones({4, 2, 3}, D{});
  CHECK(equal(sum_to_size(ones_of, {2, 1}), full<float>({2, 1}, 12, D{})));
  CHECK(equal(sum_to_size(ones_of, {}), full<float>({}, 24, D{})));
  CHECK(equal(sum_to_size(ones_of, {4, 2, 3}), ones_of));
  CHECK_SAYS("[sum_to_size] shape (4, 2, 3) to (5, 1, 2, 3)", sum_to_size(ones_of, {5, 1, 2, 3}));
}

TEST_CASE_TEMPLATE("joins and splits under other names", D, TEST_DEVICES) {
  const Tensor x = arange<std::int64_t>(6).to(D{}).reshape(2, 3);
  CHECK(split(x, 2, axis(1))[1].to_vector() == Ints{2, 5});
  CHECK(concatenate({x, x}).shape() == Shape{4, 3});
  CHECK(concatenate(x, x + 1, axis(1)).shape() == Shape{2, 6});
  CHECK(concat({x, x}, axis(1)).shape() == Shape{2, 6});
  CHECK(concat(std::vector{x, x}, axis(0)).shape() == Shape{4, 3});
  CHECK(append(x, 7).to_vector() == Ints{0, 1, 2, 3, 4, 5, 7});
}

TEST_CASE_TEMPLATE("products and choices", D, TEST_DEVICES) {
  const Tensor x = arange<std::int64_t>(4).to(D{});
  CHECK(cartesian_prod(x.narrow(0, 0, 2), x.narrow(0, 2, 2)).to_vector() ==
        Ints{0, 2, 0, 3, 1, 2, 1, 3});
  CHECK(cartesian_prod(x).shape() == Shape{4, 1});
  CHECK(combinations(x.narrow(0, 0, 3)).to_vector() == Ints{0, 1, 0, 2, 1, 2});
  CHECK(combinations(x, 3).to_vector() == Ints{0, 1, 2, 0, 1, 3, 0, 2, 3, 1, 2, 3});
  CHECK(combinations(x.narrow(0, 0, 2), 2, true).to_vector() == Ints{0, 0, 0, 1, 1, 1});
  CHECK(combinations(x, 4).to_vector() == Ints{0, 1, 2, 3});
  CHECK(combinations(x, 5).shape() == Shape{0, 5});
  CHECK(combinations(x, 0).size() == 0);
  CHECK_SAYS("[combinations] 2 elements of shape (2, 2)", combinations(x.reshape(2, 2)));
}
