// DLPack's structs, with which libraries exchange tensors without copying.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "weft/core/dtype.hpp"

/// The structs of dlpack.h, versions 0 and 1, under weft's own names so that a program can include
/// both headers: reinterpret_cast converts between DLManagedTensorVersioned* and ManagedVersioned*.
namespace weft::dlpack {

enum DeviceType : std::int32_t { cpu = 1, cuda = 2, cuda_host = 3, cuda_managed = 13 };
enum TypeCode : std::uint8_t {
  signed_integer = 0,
  unsigned_integer = 1,
  floating = 2,
  bfloat = 4,
  complex_number = 5,
  boolean = 6
};
inline constexpr std::uint64_t read_only = 1;  ///< in ManagedVersioned::flags

struct Device {
  std::int32_t type;
  std::int32_t id;
};
struct DataType {
  std::uint8_t code;
  std::uint8_t bits;
  std::uint16_t lanes;
};
/// DLTensor.
struct Tensor {
  void* data;
  Device device;
  std::int32_t ndim;
  DataType dtype;
  std::int64_t* shape;
  std::int64_t* strides;  ///< in elements; null for row-major
  std::uint64_t byte_offset;
};
/// DLManagedTensor, which a capsule named "dltensor" holds.
struct Managed {
  Tensor tensor;
  void* context;
  void (*deleter)(Managed*);
};
/// DLManagedTensorVersioned, which a capsule named "dltensor_versioned" holds.
struct ManagedVersioned {
  std::uint32_t major;
  std::uint32_t minor;
  void* context;
  void (*deleter)(ManagedVersioned*);
  std::uint64_t flags;
  Tensor tensor;
};
static_assert(sizeof(Tensor) == 48 && offsetof(Tensor, shape) == 24 &&
              offsetof(Tensor, byte_offset) == 40);
static_assert(sizeof(Managed) == 64 && offsetof(Managed, deleter) == 56);
static_assert(sizeof(ManagedVersioned) == 80 && offsetof(ManagedVersioned, tensor) == 32);

/// Runs the deleter, which may be null; the recipient of the tensor must do this once.
struct Delete {
  template <class M>
  void operator()(M* managed) const {
    if (managed->deleter != nullptr) managed->deleter(managed);
  }
};
/// A tensor that nobody has taken yet; release() hands it over.
using Owned = std::unique_ptr<ManagedVersioned, Delete>;
using OwnedLegacy = std::unique_ptr<Managed, Delete>;

/// DLPack's type of elements; code 255 for those it does not have.
constexpr DataType type_of(Dtype dtype) {
  const auto bits = static_cast<std::uint8_t>(8 * element_size(dtype));
  switch (dtype) {
    case Dtype::boolean:
      return {boolean, 8, 1};
    case Dtype::int8:
    case Dtype::int16:
    case Dtype::int32:
    case Dtype::int64:
      return {signed_integer, bits, 1};
    case Dtype::uint8:
    case Dtype::uint16:
    case Dtype::uint32:
    case Dtype::uint64:
      return {unsigned_integer, bits, 1};
    case Dtype::float16:
    case Dtype::float32:
    case Dtype::float64:
      return {floating, bits, 1};
    case Dtype::bfloat16:
      return {bfloat, bits, 1};
    case Dtype::complex64:
    case Dtype::complex128:
      return {complex_number, bits, 1};
    default:
      return {255, bits, 1};
  }
}

}  // namespace weft::dlpack
