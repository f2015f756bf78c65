// The CPU's matrix products: BLAS if there is one, else weft's own loops.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/cpu/elementwise/for_each.hpp"
#include "weft/cpu/linalg/blas.hpp"
#include "weft/eval/product/epilogue.hpp"
#include "weft/ops/elementwise/cast.hpp"

namespace weft {

template <>
struct Multiplier<Cpu> {
  /// target = x y.
  template <class T, class Out>
  static void multiply(const char*, const Tensor<T, Cpu>& x, const Tensor<T, Cpu>& y,
                       const Tensor<Out, Cpu>& target) {
    run(x, y, target, compute_t<T>(1), false);
  }

  /// What BLAS does in the call: alpha, and an addend that is first copied to the target.
  static bool fuses(Activation activation, Dtype) { return activation == Activation::identity; }

  /// target = alpha x y + beta addend, wherever it fuses, except with a bias in addition to the
  /// addend.
  template <class T, class Out>
  static bool multiply(const char* operation, const Tensor<T, Cpu>& x, const Tensor<T, Cpu>& y,
                       const Tensor<Out, Cpu>& target, const Epilogue<T, Cpu>& epilogue) {
    using C = compute_t<T>;
    if (epilogue.bias != nullptr) return false;
    if constexpr (!std::is_same_v<Out, C>) {
      const Tensor<C, Cpu> sums = empty<C>(target.shape());
      multiply(operation, x, y, sums, epilogue);
      detail::write(target, cast<Out>(sums), operation);
    } else {
      const Tensor<T, Cpu>* const addend = epilogue.addend;
      const bool in_place = addend != nullptr && epilogue.beta == C(1) &&
                            static_cast<const void*>(addend->data()) == target.data() &&
                            addend->shape() == target.shape() && addend->is_contiguous();
      if constexpr (std::is_same_v<T, C> && is_floating<T>) {
        if (addend != nullptr && epilogue.beta == C(1) && is_bias(*addend, x, y, target)) {
          run(x, y, target, epilogue.alpha, false, addend->data());
          return true;
        }
      }
      if (addend != nullptr && !in_place) {
        detail::write(target, cast<C>(epilogue.beta * *addend), operation);
      }
      run(x, y, target, epilogue.alpha, addend != nullptr);
    }
    return true;
  }

 private:
  /// Whether what is added is a number for each column, of a product that has columns.
  template <class T>
  static bool is_bias(const Tensor<T, Cpu>& addend, const Tensor<T, Cpu>& x,
                      const Tensor<T, Cpu>& y, const Tensor<T, Cpu>& target) {
    const int last = target.rank() - 1;
    return addend.rank() == 1 && y.rank() >= 2 && addend.storage() != target.storage() &&
           x.size() > 0 && addend.size() > 1 && addend.is_contiguous() &&
           addend.shape()[0] == target.shape()[last] && target.strides()[last] == 1;
  }
  /// Half types become float first, so that sums are rounded once.
  template <class T, class Out>
  static void run(const Tensor<T, Cpu>& x, const Tensor<T, Cpu>& y, const Tensor<Out, Cpu>& target,
                  compute_t<T> alpha, bool adds, const compute_t<T>* bias = nullptr) {
    using C = compute_t<T>;
    if constexpr (!std::is_same_v<T, C>) {
      const Tensor<C, Cpu> wide_x = cast<C>(x);
      const Tensor<C, Cpu> wide_y = cast<C>(y);
      run(wide_x, wide_y, target, alpha, adds);
    } else if constexpr (!std::is_same_v<Out, C>) {
      const Tensor<C, Cpu> sums = empty<C>(target.shape());
      run(x, y, sums, alpha, adds);
      detail::write(target, cast<Out>(sums), "matmul");
    } else {
      if (!detail::multiplies_in_place(x.layout())) {
        return run(x.clone(), y, target, alpha, adds, bias);
      }
      if (!detail::multiplies_in_place(y.layout())) {
        return run(x, y.clone(), target, alpha, adds, bias);
      }
      const detail::ProductPlan plan =
          detail::plan_product(x.layout(), y.layout(), target.layout(), nullptr);
      if (plan.k > 0) {
        cpu::multiply<C>({plan, x.data(), y.data(), target.data(), alpha, adds, bias});
      } else if (!adds) {
        detail::write(target, Scalar<C>{C(0)}, "matmul");
      }
    }
  }
};

WEFT_MODEL(MultiplyingDevice<Cpu>);

}  // namespace weft
