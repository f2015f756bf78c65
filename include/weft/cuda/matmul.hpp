// CUDA's matrix products on cuBLASLt, bias, relu and gelu_tanh in the same call.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/cuda/elementwise/for_each.hpp"
#include "weft/cuda/linalg/blas.hpp"
#include "weft/cuda/linalg/gemm.hpp"
#include "weft/cuda/tf32.hpp"
#include "weft/eval/product/epilogue.hpp"

namespace weft {

namespace on_cuda::detail {

/// How cuBLASLt names an element type.
template <class T>
constexpr cudaDataType lt_type() {
  switch (dtype_of<T>) {
    case Dtype::float16:
      return CUDA_R_16F;
    case Dtype::bfloat16:
      return CUDA_R_16BF;
    case Dtype::float64:
      return CUDA_R_64F;
    case Dtype::complex64:
      return CUDA_C_32F;
    case Dtype::complex128:
      return CUDA_C_64F;
    default:
      return CUDA_R_32F;
  }
}

/// What it computes in: floats in float unless TF32 is allowed.
template <class T>
cublasComputeType_t lt_compute() {
  using R = real_t<compute_t<T>>;
  if constexpr (std::is_same_v<R, double>) return CUBLAS_COMPUTE_64F;
  return !is_half<T> && allow_tf32() ? CUBLAS_COMPUTE_32F_FAST_TF32 : CUBLAS_COMPUTE_32F;
}

inline cublasLtEpilogue_t lt_epilogue(Activation activation, bool bias) {
  switch (activation) {
    case Activation::relu:
      return bias ? CUBLASLT_EPILOGUE_RELU_BIAS : CUBLASLT_EPILOGUE_RELU;
    case Activation::gelu_tanh:
      return bias ? CUBLASLT_EPILOGUE_GELU_BIAS : CUBLASLT_EPILOGUE_GELU;
    default:
      return bias ? CUBLASLT_EPILOGUE_BIAS : CUBLASLT_EPILOGUE_DEFAULT;
  }
}

/// The largest power of two, at most 256, that an address is a multiple of.
inline int64_t alignment_of(const void* at) {
  const auto address = reinterpret_cast<std::uintptr_t>(at) | 256U;
  return static_cast<int64_t>(address & -address);
}

/// A plan's matrices as a problem; batch axis `axis` is cuBLASLt's, the others are looped over.
/// False if cuBLASLt cannot read the addend.
WEFT_OUTLINED inline bool describe_lt(const weft::detail::ProductPlan& plan, int axis, bool adds,
                                      LtProblem& p) {
  using weft::detail::blas_matrix;
  const weft::detail::BlasMatrix at[] = {
      blas_matrix(plan.a, plan.m, plan.k), blas_matrix(plan.b, plan.k, plan.n),
      blas_matrix(plan.c, plan.m, plan.n), blas_matrix(adds ? plan.d : plan.c, plan.m, plan.n)};
  const weft::detail::MatrixPlace* const places[] = {&plan.a, &plan.b, &plan.c,
                                                     adds ? &plan.d : &plan.c};
  for (int i = 0; i < 4; ++i) {
    const int64_t stride = axis >= 0 ? places[i]->batch[axis] : 0;
    if (at[i].step == 0 || stride < 0 || (i >= 2 && at[i].transposed)) return false;
    if (i < 2) p.transposed[i] = at[i].transposed ? 1 : 0;
    p.step[i] = at[i].step;
    p.stride[i] = stride;
  }
  p.m = plan.m;
  p.n = plan.n;
  p.k = plan.k;
  return true;
}

}  // namespace on_cuda::detail

template <>
struct Multiplier<Cuda> {
  /// target = x y.
  template <class T, class X, class Y, class Out, class D>
  static void multiply(const char* operation, const Tensor<T, X>& x, const Tensor<T, Y>& y,
                       const Tensor<Out, D>& target) {
    run(operation, x, y, target, Epilogue<T, D>{}, true);
  }

  /// cuBLASLt's gelu is exact to about 11 bits, so float uses it only if TF32 is allowed.
  static bool fuses(Activation activation, Dtype type) {
    const bool half_type = type == Dtype::float16 || type == Dtype::bfloat16;
    if (activation == Activation::identity || half_type) return true;
    return type == Dtype::float32 && (activation == Activation::relu || on_cuda::allow_tf32());
  }

  /// target = activation(alpha x y + beta addend + bias); false where cuBLASLt does not do that in
  /// a call.
  template <class T, class X, class Y, class Out, class D, class C>
  static bool multiply(const char* operation, const Tensor<T, X>& x, const Tensor<T, Y>& y,
                       const Tensor<Out, D>& target, const Epilogue<T, C>& epilogue) {
    if constexpr (!std::is_same_v<T, Out>) return false;
    return run(operation, x, y, target, epilogue, false);
  }

 private:
  template <class T, class X, class Y, class Out, class D, class C>
  static bool run([[maybe_unused]] const char* operation, [[maybe_unused]] const Tensor<T, X>& x,
                  [[maybe_unused]] const Tensor<T, Y>& y,
                  [[maybe_unused]] const Tensor<Out, D>& target,
                  [[maybe_unused]] const Epilogue<T, C>& epilogue, [[maybe_unused]] bool plain) {
#if defined(__CUDACC__)
    if constexpr (!is_integer<T>) {
      if (!detail::multiplies_in_place(x.layout())) {
        return run(operation, x.clone(), y, target, epilogue, plain);
      }
      if (!detail::multiplies_in_place(y.layout())) {
        return run(operation, x, y.clone(), target, epilogue, plain);
      }
    }
    const Cuda device{target.storage()->ordinal};
    const on_cuda::DeviceGuard guard(device);
    const on_cuda::Stream stream = on_cuda::current_stream(device);
    const Tensor<T, C>* const addend = epilogue.addend;
    const Tensor<T, C>* const bias = epilogue.bias;
    if (addend != nullptr && addend->storage() == nullptr) return false;
    if (bias != nullptr && !detail::is_column_vector(bias->layout(), target.shape())) return false;
    for (Storage* storage :
         {x.storage(), y.storage(), addend != nullptr ? addend->storage() : nullptr,
          bias != nullptr ? bias->storage() : nullptr}) {
      if (storage != nullptr) on_cuda::order_read(storage, stream);
    }
    on_cuda::order_write(target.storage(), stream);
    Layout added;
    if (addend != nullptr) added = layout::expand(addend->layout(), target.shape());
    const detail::ProductPlan plan = detail::plan_product(x.layout(), y.layout(), target.layout(),
                                                          addend != nullptr ? &added : nullptr);
    if (plan.k == 0) {
      if (plain) {
        on_cuda::check(
            cudaMemsetAsync(target.data(), 0, sizeof(Out) * static_cast<std::size_t>(target.size()),
                            stream.handle()),
            operation);
      }
      return plain;
    }
    if constexpr (!is_integer<T>) {
      if (library(operation, device, plan, x.data(), y.data(), target, epilogue)) return true;
    }
    if (plain) {
      on_cuda::run_gemm<T, Out>(operation, target.shape(), device,
                                {plan, x.data(), y.data(), target.data()});
    }
    return plain;
#else
    static_assert(detail::always_false<T>,
                  "weft: a matrix product on Cuda is evaluated in a file that nvcc compiles: move "
                  "this statement to a .cu file");
    return false;
#endif
  }

#if defined(__CUDACC__)
  /// The calls of cuBLASLt for a plan: one where its batch has at most one axis.
  template <class T, class Out, class D, class C>
  static bool library(const char* operation, Cuda device, const detail::ProductPlan& plan,
                      const T* x, const T* y, const Tensor<Out, D>& target,
                      const Epilogue<T, C>& epilogue) {
    using Scale = compute_t<T>;
    constexpr int64_t most = 1 << 15;  // matrices in a call: grids have at most 65535 in depth
    const Tensor<T, C>* bias = epilogue.bias;
    if (bias == nullptr && plan.adds_vector() && epilogue.beta == Scale(1)) bias = epilogue.addend;
    const bool adds = epilogue.addend != nullptr && bias != epilogue.addend;
    int axis = plan.rank - 1;
    for (int i = 0; i < plan.rank; ++i) axis = plan.size[i] > plan.size[axis] ? i : axis;
    on_cuda::detail::LtProblem p;
    if (!on_cuda::detail::describe_lt(plan, axis, adds, p)) return false;
    p.in = on_cuda::detail::lt_type<T>();
    p.out = on_cuda::detail::lt_type<Out>();
    p.scale = on_cuda::detail::lt_type<Scale>();
    p.compute = on_cuda::detail::lt_compute<T>();
    p.epilogue = on_cuda::detail::lt_epilogue(epilogue.activation, bias != nullptr);
    p.adds = adds ? 1 : 0;
    detail::ProductPlan outer = plan;  // the batch but for that axis
    const int64_t matrices = axis >= 0 ? plan.size[axis] : 1;
    if (axis >= 0) outer.size[axis] = 1;
    const Scale beta = adds ? epilogue.beta : Scale(0);
    const int64_t rounds = outer.batches();
    for (int64_t round = 0; round < rounds; ++round) {
      for (int64_t first = 0; first < matrices; first += most) {
        const auto offset = [&](const detail::MatrixPlace& place) {
          return outer.offset(place, round) + (axis >= 0 ? first * place.batch[axis] : 0);
        };
        p.batches = matrices - first < most ? matrices - first : most;
        on_cuda::detail::LtPointers at;
        at.at[0] = x + offset(plan.a);
        at.at[1] = y + offset(plan.b);
        at.at[2] = target.data() + offset(plan.c);
        at.at[3] =
            adds ? static_cast<const void*>(epilogue.addend->data() + offset(plan.d)) : at.at[2];
        at.at[4] = bias != nullptr ? bias->data() : nullptr;
        for (int i = 0; i < 5; ++i) p.align[i] = on_cuda::detail::alignment_of(at.at[i]);
        if (!on_cuda::detail::run_lt({operation}, target.shape(), device, p, at, &epilogue.alpha,
                                     &beta)) {
          if (round == 0 && first == 0) return false;
          fail<DeviceError>(operation,
                            "cuBLASLt has no algorithm for a part of the batch of shape ",
                            target.shape());
        }
      }
    }
    return true;
  }
#endif
};

WEFT_MODEL(MultiplyingDevice<Cuda>);

}  // namespace weft
