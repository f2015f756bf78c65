// SPDX-License-Identifier: Apache-2.0
#include <weft/io/dlpack.hpp>

#include <cstring>

#include "fuzz.hpp"

/// A producer's record made of the input; its memory is big enough for what the record says, or the
/// record must be refused.
int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  struct Input {
    weft::int64_t shape[10], strides[10];
    weft::dlpack::ManagedVersioned managed;
  } input{};
  std::memcpy(&input, data, size < sizeof input ? size : sizeof input);
  static int deleted = 0;
  static char memory[4096];
  deleted = 0;
  auto& tensor = input.managed.tensor;
  tensor.data = tensor.data != nullptr ? memory : nullptr;
  tensor.shape = tensor.shape != nullptr ? input.shape : nullptr;
  tensor.strides = tensor.strides != nullptr ? input.strides : nullptr;
  input.managed.deleter = [](weft::dlpack::ManagedVersioned*) { ++deleted; };
  fuzz::read([&] {
    weft::DlpackTensor x = weft::from_dlpack(&input.managed);
    if (!x.is_on_cpu() || x.is_read_only()) return;
    const auto y = std::move(x).get<float>();
    if (y.size() == 0) return;
    // Touch the elements where they lie within the memory; the addresses are the record's claim.
    const auto low = reinterpret_cast<std::uintptr_t>(y.storage()->data);
    const auto start = reinterpret_cast<std::uintptr_t>(memory);
    const auto bytes = static_cast<std::uintptr_t>(y.storage()->bytes);
    if (low >= start && low < start + sizeof memory && bytes <= start + sizeof memory - low &&
        y.size() < (1 << 16)) {
      fuzz::use(y);
    }
  });
  if (deleted != 1) std::abort();
  return 0;
}
