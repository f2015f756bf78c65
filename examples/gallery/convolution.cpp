// Convolution by views: the windows of an image as a tensor of rank 4, without a copy.
// SPDX-License-Identifier: Apache-2.0
#include <weft/weft.hpp>

#include <iostream>

using namespace weft;

/// The windows of k by k elements, (row, column, k, k).
Tensor<float> windows(const Tensor<float>& x, int64_t k) {
  auto [rows, columns] = x.shape<2>();
  auto [down, right] = std::pair(x.strides()[0], x.strides()[1]);
  return borrow(x.data(), {rows - k + 1, columns - k + 1, k, k}, {down, right, down, right});
}

int main() {
  Tensor picture = zeros(8, 8);
  picture(slice(2, 6), slice(2, 6)) = ones(4, 4);
  auto sobel = tensor({{1.0F, 0, -1}, {2, 0, -2}, {1, 0, -1}});

  Tensor edges = sum(windows(picture, 3) * sobel, axis(2, 3));
  std::cout << edges << "\n";

  // The same as one matrix product.
  Tensor product = matmul(windows(picture, 3).reshape(36, 9), sobel.flatten()).reshape(6, 6);
  // And by shifted slices.
  Tensor shifted = zeros(6, 6);
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) shifted += sobel(i, j) * picture(slice(i, i + 6), slice(j, j + 6));
  }
  return allclose(edges, product) && allclose(edges, shifted) && min(edges) == -4 ? 0 : 1;
}
