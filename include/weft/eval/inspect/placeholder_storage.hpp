// Placeholder storage for dry runs: addresses that nothing is ever read from.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/eval/assign.hpp"
#include "weft/eval/inspect/explanation.hpp"

namespace weft::detail {

/// Addresses outside every allocation, aligned like one.
inline constexpr std::uintptr_t placeholder = std::uintptr_t{1} << 58;

inline void release_placeholder(Storage* storage) noexcept { delete storage; }
/// Placeholder memory, distinct for each kernel.
inline Storage* allocate_placeholder(const Explanation& out, int64_t bytes) {
  auto* storage = new Storage;
  storage->data = reinterpret_cast<void*>(placeholder + ((out.kernels.size() + 1) << 48));
  storage->bytes = bytes;
  storage->release = release_placeholder;
  return storage;
}
inline bool is_temporary(const Operand& x) {
  return x.storage != nullptr && x.storage->release == release_placeholder;
}

/// The kernel or kernels of an opaque node.
inline Explanation::Kernel opaque_kernel(const char* kind, const Name& name, const Shape& shape) {
  Explanation::Kernel kernel;
  kernel.kind = kind;
  kernel.work = join({name, ", ", shape, ", by its own algorithm: not counted"});
  kernel.launches = 0;
  return kernel;
}

/// A matrix product that one call of a library computes.
WEFT_OUTLINED inline Explanation::Kernel product_kernel(const PlannedProduct& product,
                                                        const char* type, const Shape& shape,
                                                        int64_t bytes, const char* note) {
  const auto operand = [](const char* element, const Shape& of, int64_t size, const char* what) {
    Explanation::Operand x;
    x.type = element;
    x.shape = of;
    x.bytes = size;
    x.note = what;
    return x;
  };
  const int64_t each = product.itemsize;
  Explanation::Kernel kernel;
  kernel.kind = "matrix product";
  kernel.work = join({product.left, " by ", product.right});
  kernel.operations = product.operations;
  kernel.reads.push_back(operand(product.type, product.left, product.left.size() * each, ""));
  kernel.reads.push_back(operand(product.type, product.right, product.right.size() * each, ""));
  kernel.writes.push_back(operand(type, shape, bytes, note));
  return kernel;
}

/// While it lives, notes what would be evaluated before the expression.
class PlannedStaging : public Staging {
 public:
  explicit PlannedStaging(Explanation& out) : Staging{take}, out_(out), outside_(staging) {
    staging = this;
  }
  ~PlannedStaging() { staging = outside_; }
  PlannedStaging(const PlannedStaging&) = delete;
  PlannedStaging& operator=(const PlannedStaging&) = delete;

 private:
  static StorageHandle take(Staging* self, const Name& name, const Shape& shape, int64_t bytes,
                            const PlannedProduct* product) {
    Explanation& out = static_cast<PlannedStaging*>(self)->out_;
    StorageHandle storage(allocate_placeholder(out, bytes));
    if (product != nullptr) {
      out.kernels.push_back(product_kernel(*product, product->type, shape, bytes, "temporary"));
      return storage;
    }
    out.kernels.push_back(opaque_kernel("evaluated before:", name, shape));
    ++out.opaque;
    return storage;
  }

  Explanation& out_;
  Staging* outside_;
};

}  // namespace weft::detail
