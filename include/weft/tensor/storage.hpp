// Storage: a reference-counted block of memory on one device, shared by the tensors that view it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>

#if __has_include(<sys/single_threaded.h>)
#include <sys/single_threaded.h>
#endif

#include "weft/core/device.hpp"
#include "weft/core/shape.hpp"

namespace weft {

namespace detail {
/// True while the process has one thread, as far as the C library knows: counting then needs no
/// atomic instructions, which cost a small statement a third of its time.
inline bool single_threaded() {
#if __has_include(<sys/single_threaded.h>)
  return __libc_single_threaded != 0;
#else
  return false;
#endif
}
}  // namespace detail

/// A block of memory and its properties. Devices derive from it to add their own bookkeeping.
struct Storage {
  void* data = nullptr;
  int64_t bytes = 0;
  int ordinal = -1;       ///< the GPU it is on; -1 for the CPU
  bool borrowed = false;  ///< memory of the user's, which weft neither frees nor rebinds into
  bool fresh = false;     ///< pages that the system gives as they are written; touched atomically
  long owners = 1;        ///< handles that share it; touched atomically only
  unsigned long version = 0;  ///< how often it was written in place; touched atomically only
  void (*release)(Storage*) noexcept = nullptr;  ///< frees the memory and this record

  unsigned long current_version() const { return __atomic_load_n(&version, __ATOMIC_ACQUIRE); }
  void bump_version() {
    if (detail::single_threaded()) {
      __atomic_store_n(&version, version + 1, __ATOMIC_RELAXED);
    } else {
      __atomic_fetch_add(&version, 1ul, __ATOMIC_RELEASE);
    }
  }
  /// Whether the memory was fresh; from now on it is not.
  bool take_fresh() {
    if (!__atomic_load_n(&fresh, __ATOMIC_RELAXED)) return false;
    __atomic_store_n(&fresh, false, __ATOMIC_RELAXED);
    return true;
  }
  /// Adds an owner.
  void share() {
    if (detail::single_threaded()) {
      __atomic_store_n(&owners, owners + 1, __ATOMIC_RELAXED);
    } else {
      __atomic_fetch_add(&owners, 1l, __ATOMIC_RELAXED);
    }
  }
  /// Removes an owner; true if it was the last.
  bool leave() {
    if (detail::single_threaded()) {
      __atomic_store_n(&owners, owners - 1, __ATOMIC_RELAXED);
      return owners == 0;
    }
    return __atomic_sub_fetch(&owners, 1l, __ATOMIC_ACQ_REL) == 0;
  }
};

/// Where memory on device D comes from; specialised in cpu/memory.hpp and cuda/memory.hpp.
template <class D>
struct Memory;

/// A device with memory: allocate() throws OutOfMemory, borrow() owns nothing.
template <class D>
concept MemoryDevice = requires(D device, void* data, int64_t bytes) {
  { Memory<D>::allocate(device, bytes) } -> std::same_as<Storage*>;
  { Memory<D>::borrow(device, data, bytes) } -> std::same_as<Storage*>;
};

/// A shared handle to a Storage. Copying is one atomic increment.
class StorageHandle {
 public:
  StorageHandle() = default;
  /// Adopts a new Storage, which starts with one owner.
  explicit StorageHandle(Storage* storage) noexcept : storage_(storage) {}
  StorageHandle(const StorageHandle& other) noexcept : storage_(other.storage_) {
    if (storage_ != nullptr) storage_->share();
  }
  StorageHandle(StorageHandle&& other) noexcept : storage_(other.storage_) {
    other.storage_ = nullptr;
  }
  StorageHandle& operator=(StorageHandle other) noexcept {
    Storage* mine = storage_;
    storage_ = other.storage_;
    other.storage_ = mine;
    return *this;
  }
  ~StorageHandle() {
    if (storage_ != nullptr) drop();  // most are empty: moved from
  }

  Storage* get() const { return storage_; }
  Storage* operator->() const { return storage_; }
  explicit operator bool() const { return storage_ != nullptr; }

  /// How many handles share the storage now.
  long owners() const { return __atomic_load_n(&storage_->owners, __ATOMIC_ACQUIRE); }

 private:
  [[gnu::noinline]] void drop() noexcept {
    if (storage_->leave()) storage_->release(storage_);
  }

  Storage* storage_ = nullptr;
};

namespace detail {
/// An address in memory that an accompanying handle keeps alive. Moving from it leaves null.
template <class T>
class HeldPointer {
 public:
  HeldPointer() = default;
  HeldPointer(T* at) noexcept : at_(at) {}
  HeldPointer(const HeldPointer&) noexcept = default;
  HeldPointer(HeldPointer&& other) noexcept : at_(other.at_) { other.at_ = nullptr; }
  HeldPointer& operator=(HeldPointer other) noexcept {
    at_ = other.at_;
    return *this;
  }
  ~HeldPointer() = default;
  operator T*() const { return at_; }

 private:
  T* at_ = nullptr;
};
}  // namespace detail

}  // namespace weft
