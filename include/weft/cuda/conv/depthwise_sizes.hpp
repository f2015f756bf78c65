// Which depthwise convolutions the kernels support, and the sizes that they get.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/ops/conv/problem.hpp"

namespace weft::on_cuda {

/// Square kernels of 3 and 5 over images with two axes, one filter per channel.
inline bool is_square_depthwise(const conv::Problem& p) {
  return p.kernel[0] == 1 && p.in[0] == 1 && p.padding[0] == 0 && p.filters == p.channels &&
         p.kernel[1] == p.kernel[2] && (p.kernel[1] == 3 || p.kernel[1] == 5);
}
/// Whether neighbouring results read neighbours, tap by tap, along both axes.
inline bool is_unit(const conv::Problem& p) {
  return p.stride[1] == 1 && p.stride[2] == 1 && p.dilation[1] == 1 && p.dilation[2] == 1;
}

/// The sizes of what is read and written, forward or `back` from results to images: then taps are
/// flipped, and the strides are gaps between the results, which Grid represents in its own way.
template <class Grid>
Grid depthwise_sizes(const conv::Problem& p, bool back) {
  Grid grid{};
  grid.channels = static_cast<int>(p.channels);
  for (int i = 0; i < 2; ++i) {
    const int axis = i + 1;
    grid.in[i] = static_cast<int>(back ? p.out[axis] : p.in[axis]);
    grid.out[i] = static_cast<int>(back ? p.in[axis] : p.out[axis]);
    grid.stride[i] = static_cast<int>(back ? 1 : p.stride[axis]);
    grid.dilation[i] = static_cast<int>(p.dilation[axis]);
    const int64_t reach = p.dilation[axis] * (p.kernel[axis] - 1);
    grid.padding[i] = static_cast<int>(back ? reach - p.padding[axis] : p.padding[axis]);
  }
  grid.flipped = back;
  return grid;
}

}  // namespace weft::on_cuda
