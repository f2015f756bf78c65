// Watcher: what is told of each layer's call, for summary().
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <type_traits>

#include "weft/core/shape.hpp"

namespace weft::nn::detail {

/// A different address for each type.
template <class M>
inline constexpr char type_mark = 0;

/// Is told of the calls of layers with parameters, and of the modules of a Sequential.
class Watcher {
 public:
  virtual void enter(const void* layer, const char* type) = 0;
  virtual void leave(const void* layer, const char* type, const Shape& result) = 0;

 protected:
  ~Watcher() = default;
};

/// The calling thread's watcher, or null.
inline Watcher*& watcher() {
  static thread_local Watcher* current = nullptr;
  return current;
}

/// A layer's call, given its result: `const Watched watched(*this); return watched(linear(x, w));`
class Watched {
 public:
  template <class M>
  explicit Watched(const M& layer)
      : current_(watcher()), layer_(&layer), type_(&type_mark<std::remove_cv_t<M>>) {
    if (current_ != nullptr) [[unlikely]]
      current_->enter(layer_, type_);
  }
  template <class Y>
  Y operator()(Y y) const {
    if constexpr (requires { Shape(y.shape()); }) {
      if (current_ != nullptr) [[unlikely]]
        current_->leave(layer_, type_, Shape(y.shape()));
    }
    return y;
  }

 private:
  Watcher* current_;
  const void* layer_;
  const char* type_;
};

}  // namespace weft::nn::detail
