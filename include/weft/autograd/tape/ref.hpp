// Ref<X>: a counted handle to an object that has the count.
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace weft::autograd {

/// An object with a count of its handles.
struct Counted {
  long owners = 0;  ///< touched atomically only
  Counted() = default;
  Counted(const Counted&) = delete;
  Counted& operator=(const Counted&) = delete;
  virtual ~Counted() = default;
};

/// A counted handle to an X, which derives from Counted.
template <class X>
class Ref {
 public:
  Ref() = default;
  explicit Ref(X* x) noexcept : x_(x) { share(); }
  Ref(const Ref& other) noexcept : x_(other.x_) { share(); }
  Ref(Ref&& other) noexcept : x_(other.x_) { other.x_ = nullptr; }
  Ref& operator=(Ref other) noexcept {
    X* mine = x_;
    x_ = other.x_;
    other.x_ = mine;
    return *this;
  }
  ~Ref() {
    if (x_ != nullptr && __atomic_sub_fetch(&x_->owners, 1L, __ATOMIC_ACQ_REL) == 0) delete x_;
  }

  X* get() const { return x_; }
  X* operator->() const { return x_; }
  X& operator*() const { return *x_; }
  explicit operator bool() const { return x_ != nullptr; }

 private:
  void share() const {
    if (x_ != nullptr) __atomic_fetch_add(&x_->owners, 1L, __ATOMIC_RELAXED);
  }
  X* x_ = nullptr;
};

}  // namespace weft::autograd
