// SPDX-License-Identifier: Apache-2.0
#include <weft/data/cifar.hpp>

#include "fuzz.hpp"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const fuzz::File file(data, size);
  fuzz::read([&] {
    const auto read = weft::data::load_cifar10(std::vector<std::string>{file.path()});
    fuzz::use(read.images);
    for (const weft::int64_t label : read.labels.to_vector()) {
      if (label < 0 || label > 9) std::abort();
    }
  });
  return fuzz::read([&] { fuzz::use(weft::data::load_cifar100(file.path()).coarse_labels); });
}
