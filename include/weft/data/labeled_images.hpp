// LabeledImages: the result of the readers of image data sets.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/eval/transfer.hpp"
#include "weft/io/file.hpp"
#include "weft/ops/elementwise/cast.hpp"
#include "weft/tensor/factory.hpp"

namespace weft::data {

/// Images as bytes, and the class of each.
struct LabeledImages {
  Tensor<std::uint8_t> images;  ///< (n, height, width) or (n, channels, height, width)
  Tensor<int64_t> labels;       ///< (n,)
};

namespace detail {
/// Throws if a label is not below `classes`.
inline void check_labels(const char* operation, const std::string& path,
                         const Tensor<int64_t>& labels, int64_t classes) {
  for (int64_t i = 0; i < labels.size(); ++i) {
    const int64_t label = labels.data()[i];
    if (label < 0 || label >= classes) {
      fail<FileError>(operation, path, ": label ", label, " of image ", i, ", expected 0 to ",
                      classes - 1);
    }
  }
}
}  // namespace detail

}  // namespace weft::data
