// What the tests of convolutions and pooling include: loops that say what each result is.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <vector>

#include "test.hpp"
#include "weft/conv.hpp"

#ifdef __CUDACC__
#include "weft/cuda/conv.hpp"
#endif

namespace test {

/// Different numbers between -1 and 1, as elements of type T on the device.
template <class T, class D>
weft::Tensor<T, D> image(const weft::Shape& shape, double first = 0) {
  std::vector<T> values;
  for (std::int64_t i = 0; i < shape.size(); ++i) {
    values.push_back(weft::store_element<T>(
        static_cast<weft::compute_t<T>>(std::sin(1.7 * static_cast<double>(i) + first))));
  }
  return weft::tensor(values, shape).to(D{});
}

/// A convolution of two spatial axes, element by element.
inline std::vector<double> convolved(const weft::Tensor<double>& x, const weft::Tensor<double>& w,
                                     const weft::ConvOptions& o, std::int64_t rows,
                                     std::int64_t columns) {
  const std::int64_t each = w.size(1);
  const std::int64_t filters = w.size(0) / o.groups;
  std::vector<double> out;
  for (std::int64_t n = 0; n < x.size(0); ++n) {
    for (std::int64_t f = 0; f < w.size(0); ++f) {
      for (std::int64_t i = 0; i < rows * columns; ++i) {
        double sum = 0;
        for (std::int64_t c = 0; c < each; ++c) {
          for (std::int64_t k = 0; k < w.size(2) * w.size(3); ++k) {
            const std::int64_t ky = k / w.size(3);
            const std::int64_t kx = k % w.size(3);
            const std::int64_t y =
                i / columns * o.stride[0] - o.padding.each[0] + ky * o.dilation[0];
            const std::int64_t z =
                i % columns * o.stride[1] - o.padding.each[1] + kx * o.dilation[1];
            if (y < 0 || y >= x.size(2) || z < 0 || z >= x.size(3)) continue;
            sum += w.at(f, c, ky, kx) * x.at(n, f / filters * each + c, y, z);
          }
        }
        out.push_back(sum);
      }
    }
  }
  return out;
}

}  // namespace test
