// Caster: what replaces the matrix products of float Vars while an Autocast is alive.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <type_traits>

#include "weft/core/error.hpp"
#include "weft/tensor/var_traits.hpp"

namespace weft {

template <class T, class D>
struct AttentionOptions;
struct HeadLayout;

namespace conv {
struct Problem;
}

namespace autograd {

/// The 16-bit versions of functions of float Vars on device D. Those whose headers are not included
/// in the guard's file are null.
template <class D>
struct Caster {
  using V = Var<float, D>;
  using Options = AttentionOptions<float, D>;

  V (*multiply)(const V& a, const V& b);
  V(*convolve)
  (const char* operation, bool transposed, const conv::Problem&, const V& x, const V& w,
   const V* bias, bool cut);
  V (*attend)(const V& q, const V& k, const V& v, const Options&);
  V(*attend_heads)
  (const V& q, const V& k, const V& v, const HeadLayout&, const Options&, int64_t key_heads);
  V (*attend_packed)(const V& qkv, const HeadLayout&, const Options&, int64_t key_heads);
};

namespace state {
/// The caster of the thread's innermost guard; null outside of all guards.
template <class D>
[[gnu::visibility("default")]] inline constinit thread_local const Caster<D>* caster = nullptr;
}  // namespace state

/// Installs a caster, or none, for as long as it lives.
template <class D>
class WithCaster {
 public:
  explicit WithCaster(const Caster<D>* caster) : before_(state::caster<D>) {
    state::caster<D> = caster;
  }
  WithCaster(const WithCaster&) = delete;
  WithCaster& operator=(const WithCaster&) = delete;
  ~WithCaster() { state::caster<D> = before_; }

 private:
  const Caster<D>* before_;
};

/// The caster for results of type T, or null.
template <class T, class D>
const Caster<D>* caster() {
  if constexpr (std::is_same_v<T, float>) {
    return state::caster<D>;
  } else {
    return nullptr;
  }
}

/// Throws if a function is missing from a guard's table.
template <class F>
F* needed(F* function, const char* operation, const char* header) {
  if (function == nullptr) {
    fail<ValueError>("Autocast", "the file that makes the guard does not include <", header,
                     ">, which ", operation, " needs");
  }
  return function;
}

/// How a caster evaluates a statement of type E whose outermost node is a product; in matmul.hpp.
template <class E>
struct CastStatement {
  static constexpr bool possible = false;
};

}  // namespace autograd

}  // namespace weft
