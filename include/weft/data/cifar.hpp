// load_cifar10 and load_cifar100: the binary files of the CIFAR data sets.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "weft/cpu/elementwise/for_each.hpp"
#include "weft/data/labeled_images.hpp"

namespace weft::data {

/// CIFAR-100's images with both of their labels.
struct Cifar100 {
  Tensor<std::uint8_t> images;    ///< (n, 3, 32, 32)
  Tensor<int64_t> labels;         ///< (n,), 0 to 99
  Tensor<int64_t> coarse_labels;  ///< (n,), 0 to 19
};

namespace detail {
inline constexpr int64_t cifar_pixels = 3 * 32 * 32;

/// Records of `labels` bytes and an image each, of all files; labels have shape (labels, n).
inline LabeledImages load_cifar(const char* operation, const std::vector<std::string>& paths,
                                int64_t labels, const int64_t (&classes)[2]) {
  const int64_t record = labels + cifar_pixels;
  LabeledImages out;
  for (const bool reading : {false, true}) {
    int64_t count = 0;
    for (const std::string& path : paths) {
      io::InputFile file(operation, path);
      if (file.size() % record != 0) {
        file.refuse(file.size(), " bytes, expected a multiple of ", record);
      }
      for (int64_t i = 0; reading && i < file.size() / record; ++i) {
        if (count + i >= out.labels.size(1)) file.refuse("it grew while it was read");
        for (int64_t k = 0; k < labels; ++k) {
          unsigned char label = 0;
          file.read(&label, 1);
          if (label >= classes[k]) {
            file.refuse("label ", int{label}, " of image ", i, ", expected 0 to ", classes[k] - 1);
          }
          out.labels.data()[k * out.labels.size(1) + count + i] = label;
        }
        file.read(out.images.data() + (count + i) * cifar_pixels, cifar_pixels);
      }
      count += file.size() / record;
    }
    if (!reading) {
      out.images = empty<std::uint8_t>({count, 3, 32, 32});
      out.labels = zeros<int64_t>({labels, count});
    }
  }
  return out;
}
}  // namespace detail

/// The images (n, 3, 32, 32) and labels (n,) of CIFAR-10's binary files, one after the other.
inline LabeledImages load_cifar10(const std::vector<std::string>& paths) {
  LabeledImages out = detail::load_cifar("load_cifar10", paths, 1, {10, 0});
  out.labels = Tensor<int64_t>(out.labels(0));
  return out;
}
/// The training part (data_batch_1.bin to data_batch_5.bin) or the test part in a folder.
inline LabeledImages load_cifar10(const std::string& folder, bool train) {
  if (!train) return load_cifar10(std::vector<std::string>{folder + "/test_batch.bin"});
  std::vector<std::string> paths;
  for (int i = 1; i <= 5; ++i) {
    paths.push_back(folder + "/data_batch_" + std::to_string(i) + ".bin");
  }
  return load_cifar10(paths);
}

/// The images of one of CIFAR-100's binary files, with fine and coarse labels.
inline Cifar100 load_cifar100(const std::string& path) {
  const LabeledImages both = detail::load_cifar("load_cifar100", {path}, 2, {20, 100});
  return {both.images, both.labels(1), both.labels(0)};
}
/// The training part (train.bin) or the test part (test.bin) in a folder.
inline Cifar100 load_cifar100(const std::string& folder, bool train) {
  return load_cifar100(folder + (train ? "/train.bin" : "/test.bin"));
}

}  // namespace weft::data
