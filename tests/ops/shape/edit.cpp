#include "weft/ops/shape/edit.hpp"

#include "array.hpp"
#ifdef __CUDACC__
#include "weft/cuda/algorithms.hpp"
#endif
#include <weft/ops/shape/strided.hpp>

using namespace weft;
using Ints = std::vector<std::int64_t>;

TEST_CASE_TEMPLATE("parts added and left out", D, TEST_DEVICES) {
  const Tensor x = arange<std::int64_t>(6).to(D{}).reshape(2, 3);
  CHECK(erase(x, 1, axis(1)).to_vector() == Ints{0, 2, 3, 5});
  CHECK(erase(x, {0, -1, 0}, axis(1)).to_vector() == Ints{1, 4});
  CHECK(erase(x, {0, 4}).to_vector() == Ints{1, 2, 3, 5});
  CHECK(insert(x, 1, tensor<std::int64_t>({7}, D{}), axis(1)).to_vector() ==
        Ints{0, 7, 1, 2, 3, 7, 4, 5});
  CHECK(insert(x, {0, 3}, tensor<std::int64_t>({{7, 8}, {9, 6}}, D{}), axis(1)).to_vector() ==
        Ints{7, 0, 1, 2, 8, 9, 3, 4, 5, 6});
  CHECK(insert(x, 1, tensor<std::int64_t>({7, 8}, D{}), axis(1)).to_vector() ==
        Ints{0, 7, 1, 2, 3, 8, 4, 5});
  CHECK(insert(x.reshape(1, 2, 3), 0, tensor<std::int64_t>({7, 8, 9}, D{}), axis(1)).to_vector() ==
        Ints{7, 8, 9, 0, 1, 2, 3, 4, 5});
  CHECK(insert(x, -1, x, axis(0)).to_vector() == Ints{0, 1, 2, 0, 1, 2, 3, 4, 5, 3, 4, 5});
  const Tensor z = tensor<std::int64_t>({0, 0, 1, 0, 2, 0}, D{});
  CHECK(trim_zeros(z).to_vector() == Ints{1, 0, 2});
  CHECK(trim_zeros(z, Ends::front).to_vector() == Ints{1, 0, 2, 0});
  CHECK(trim_zeros(z * 0).size() == 0);
  CHECK_SAYS("[erase] index 3, expected -3 to 2", erase(x, 3, axis(1)));
  CHECK_SAYS("[insert] values of shape (2, 3) for 3 places", insert(x, {0, 0, 1}, x, axis(0)));
}

TEST_CASE_TEMPLATE("parts replaced in a copy", D, TEST_DEVICES) {
  const Tensor x = arange<std::int64_t>(6).to(D{}).reshape(2, 3);
  const Tensor two = tensor<std::int64_t>({8, 9}, D{});
  CHECK(select_scatter(x, two, axis(1), -1).to_vector() == Ints{0, 1, 8, 3, 4, 9});
  CHECK(slice_scatter(x, two.unsqueeze(1), axis(1), slice(0, none, 2)).to_vector() ==
        Ints{8, 1, 8, 9, 4, 9});
  CHECK(slice_scatter(x, two.unsqueeze(1), 1, 2, 3).to_vector() == Ints{0, 1, 8, 3, 4, 9});
  CHECK(insert(x, {0, -1}, 7, 1).to_vector() == Ints{7, 0, 1, 7, 2, 7, 3, 4, 7, 5});
  CHECK(insert(x, 1, two).to_vector() == Ints{0, 8, 9, 1, 2, 3, 4, 5});
  CHECK(insert(x(0), 3, 7).to_vector() == Ints{0, 1, 2, 7});
  CHECK(diagonal_scatter(x, 7, 1).to_vector() == Ints{0, 7, 2, 3, 4, 7});
  CHECK(x.to_vector() == Ints{0, 1, 2, 3, 4, 5});
  CHECK_SAYS("[select] index 3", select_scatter(x, two, axis(1), 3));
}

TEST_CASE_TEMPLATE("the same memory seen otherwise", D, TEST_DEVICES) {
  const Tensor x = arange<float>(6).to(D{});
  CHECK(windows(x, 0, 3, 2).to_vector() == std::vector<float>{0, 1, 2, 2, 3, 4});
  CHECK(windows(x.reshape(2, 3), 1, 2).shape() == Shape{2, 2, 2});
  CHECK(windows(x(3), 0, 1).to_vector() == std::vector<float>{3});
  CHECK_SAYS("[windows] windows of 2 with step 1", windows(x(3), 0, 2));
  CHECK_SAYS("has elements that share memory", windows(x, 0, 3).assign(0.0F));
  CHECK(windows(x.clone(), 0, 2, 2).fill(0).size() == 6);
  CHECK(as_strided(x, {2, 2}, {1, 2}, 1).to_vector() == std::vector<float>{1, 3, 2, 4});
  const auto bits = bit_cast<std::int32_t>(x);
  CHECK(bits(1).item() == 0x3F800000);
  CHECK(bit_cast<std::int16_t>(x).shape() == Shape{12});
  CHECK(bit_cast<double>(bit_cast<std::uint8_t>(x)).shape() == Shape{3});
  CHECK_SAYS("[windows] windows of 7 with step 1", windows(x, 0, 7));
  CHECK_SAYS("reaches 4 to 6 of 6 elements", as_strided(x, {3}, {1}, 4));
  CHECK_SAYS("[bit_cast] elements of 4 bytes of shape (3,)", bit_cast<double>(x(slice(0, 3))));
}

TEST_CASE_TEMPLATE("one element left out, and windows along the last axis", D, TEST_DEVICES) {
  const Tensor x = arange<std::int64_t>(4).to(D{});
  CHECK(erase(x, 1).to_vector() == Ints{0, 2, 3});
  CHECK(erase(x, {0, -1}).to_vector() == Ints{1, 2});
  CHECK(sliding_window_view(x, 3).clone().to_vector() == Ints{0, 1, 2, 1, 2, 3});
  CHECK(sliding_window_view(x.reshape(2, 2), 2, axis(0)).shape() == Shape{1, 2, 2});
}
