// List: elements in a contiguous block that grows; std::vector compiles slowly.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "weft/core/config.hpp"

namespace weft::detail {

/// A few elements, which are moved where the block grows. T has a default constructor.
template <class T>
class List {
 public:
  List() = default;
  List(const List&) = delete;
  List(List&& other) noexcept : data_(other.data_), size_(other.size_), capacity_(other.capacity_) {
    other.data_ = nullptr;
    other.size_ = other.capacity_ = 0;
  }
  List& operator=(List other) noexcept {
    delete[] data_;
    data_ = other.data_;
    size_ = other.size_;
    capacity_ = other.capacity_;
    other.data_ = nullptr;
    return *this;
  }
  ~List() { delete[] data_; }

  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  T* begin() { return data_; }
  T* end() { return data_ + size_; }
  const T* begin() const { return data_; }
  const T* end() const { return data_ + size_; }
  T& operator[](std::size_t i) { return data_[i]; }
  const T& operator[](std::size_t i) const { return data_[i]; }
  T& back() { return data_[size_ - 1]; }

  void push_back(T value) {
    if (size_ == capacity_) grow();
    data_[size_++] = static_cast<T&&>(value);
  }
  void pop_back() { data_[--size_] = T(); }
  void clear() {
    while (size_ > 0) pop_back();
  }
  /// Removes element i; later ones move up.
  void remove(std::size_t i) {
    for (; i + 1 < size_; ++i) data_[i] = static_cast<T&&>(data_[i + 1]);
    pop_back();
  }

 private:
  WEFT_ONCE void grow() {
    const std::size_t capacity = 2 * capacity_ + 4;
    T* const grown = new T[capacity];
    for (std::size_t i = 0; i < size_; ++i) grown[i] = static_cast<T&&>(data_[i]);
    delete[] data_;
    data_ = grown;
    capacity_ = capacity;
  }

  T* data_ = nullptr;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
};

}  // namespace weft::detail
