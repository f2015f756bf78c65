// What weft::lib and weft::lib_cuda hold compiled of networks of floats, forward and backward.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/autograd/arena.hpp"
#include "weft/autograd/conv/conv.hpp"
#include "weft/autograd/conv/pool.hpp"
#include "weft/autograd/linalg/matmul.hpp"
#include "weft/autograd/rows/compose.hpp"
#include "weft/autograd/shape/movement.hpp"
#include "weft/eval/transfer.hpp"
#include "weft/nn/init.hpp"
#include "weft/nn/layers/batch_norm.hpp"
#include "weft/nn/layers/conv.hpp"
#include "weft/nn/layers/linear.hpp"
#include "weft/nn/state.hpp"
#include "weft/ops/random/random.hpp"
#include "weft/ops/reduce/reduce.hpp"
#include "weft/tensor/any_tensor.hpp"

// The library's own source says `template`, everybody else `extern template`.
#if defined(WEFT_LIB_BUILD_NN)
#define WEFT_LIB_HOLDS template
#else
#define WEFT_LIB_HOLDS extern template
#endif

namespace weft {

/// A recorded statement `Var y = e`, with its backward pass.
#define WEFT_LIB_RECORD(D, ...) \
  WEFT_LIB_HOLDS void Var<float, D>::record(const __VA_ARGS__&, const char*, unsigned);
/// The same for one operation on a Var.
#define WEFT_LIB_UNARY(D, OP) WEFT_LIB_RECORD(D, Map<float, op::OP, Var<float, D>>)

/// relu(linear(x, weight, bias)).
#define WEFT_LIB_CUT(D) \
  Map<float, op::relu,  \
      Map<float, op::add, Product<product::linear, Var<float, D>, Var<float, D>>, Var<float, D>>>

/// Dropout of X.
#define WEFT_LIB_DROPOUT(D, ...)                                                   \
  WEFT_LIB_RECORD(D, Map<float, op::where, Map<bool, op::trials<bool>, Positions>, \
                         Map<float, op::mul, __VA_ARGS__, Scalar<float>>, Scalar<float>>)

/// Copies, and fills with a number.
#define WEFT_LIB_MOVES(T, D)                                                                \
  WEFT_LIB_HOLDS void detail::write(const Tensor<T, D>&, const Tensor<T, D>&, const char*); \
  WEFT_LIB_HOLDS void detail::write(const Tensor<T, D>&, const Scalar<T>&, const char*);    \
  WEFT_LIB_HOLDS Tensor<T, D> detail::materialize_on<T, D>(const Tensor<T, D>&, D);         \
  WEFT_LIB_HOLDS Tensor<T, D> AnyTensor::to<T>(D) const;

/// Copies between the CPU and a GPU, and from a dict of tensors.
#define WEFT_LIB_TRANSFER(T)                                                                 \
  WEFT_LIB_HOLDS Tensor<T, Cpu> detail::transfer(const Tensor<T, Cuda>&, Cpu, CopyOptions);  \
  WEFT_LIB_HOLDS Tensor<T, Cuda> detail::transfer(const Tensor<T, Cpu>&, Cuda, CopyOptions); \
  WEFT_LIB_HOLDS AnyTensor detail::on_cpu<T, Cuda>(const AnyTensor&);

/// Network parts on one device.
#define WEFT_LIB_LAYERS(D)                                                                        \
  WEFT_LIB_UNARY(D, relu)                                                                         \
  WEFT_LIB_UNARY(D, sigmoid)                                                                      \
  WEFT_LIB_UNARY(D, tanh)                                                                         \
  WEFT_LIB_UNARY(D, silu)                                                                         \
  WEFT_LIB_UNARY(D, gelu)                                                                         \
  WEFT_LIB_RECORD(D, Map<float, op::add, Var<float, D>, Var<float, D>>)                           \
  WEFT_LIB_RECORD(D, Map<float, op::mul, Var<float, D>, Var<float, D>>)                           \
  WEFT_LIB_RECORD(D, Product<product::linear, Var<float, D>, Var<float, D>>)                      \
  WEFT_LIB_RECORD(                                                                                \
      D,                                                                                          \
      Map<float, op::add, Product<product::linear, Var<float, D>, Var<float, D>>, Var<float, D>>) \
  WEFT_LIB_DROPOUT(D, Var<float, D>)                                                              \
  WEFT_LIB_DROPOUT(D, Map<float, op::relu, Var<float, D>>)                                        \
  WEFT_LIB_RECORD(D, WEFT_LIB_CUT(D))                                                             \
  WEFT_LIB_DROPOUT(D, WEFT_LIB_CUT(D))                                                            \
  WEFT_LIB_HOLDS Var<float, D> Var<float, D>::reshape(const Shape&) const;                        \
  WEFT_LIB_HOLDS Var<float, D> Var<float, D>::permute(const Shape&) const;                        \
  WEFT_LIB_HOLDS Var<float, D> Var<float, D>::transpose(int64_t, int64_t) const;                  \
  WEFT_LIB_HOLDS Var<float, D> Var<float, D>::t() const;                                          \
  WEFT_LIB_HOLDS Var<float, D> Var<float, D>::flatten(int64_t, int64_t) const;                    \
  WEFT_LIB_HOLDS Var<float, D> Var<float, D>::squeeze(int64_t) const;                             \
  WEFT_LIB_HOLDS Var<float, D> Var<float, D>::unsqueeze(int64_t) const;                           \
  WEFT_LIB_HOLDS Var<float, D> Var<float, D>::narrow(int64_t, int64_t, int64_t) const;            \
  WEFT_LIB_HOLDS Var<float, D> Var<float, D>::clone() const;                                      \
  WEFT_LIB_HOLDS struct autograd::VariableOf<float, D>;                                           \
  WEFT_LIB_HOLDS void autograd::move_into_arena(const std::vector<Var<float, D>*>&);              \
  WEFT_LIB_HOLDS Tensor<float, D> detail::in_format(const Tensor<float, D>&, bool);               \
  WEFT_LIB_HOLDS Var<float, D> channels_last(const Var<float, D>&);                               \
  WEFT_LIB_HOLDS Tensor<float, D> conv::detail::compute(                                          \
      const char*, bool, const conv::Problem&, const Tensor<float, D>&, const Tensor<float, D>&,  \
      const Tensor<float, D>*, bool);                                                             \
  WEFT_LIB_HOLDS Var<float, D> autograd::computed(const char*, const autograd::ConvRule&,         \
                                                  const Tensor<float, D>&, const Var<float, D>&,  \
                                                  const Var<float, D>&);                          \
  WEFT_LIB_HOLDS Var<float, D> autograd::computed(const char*, const autograd::ConvRule&,         \
                                                  const Tensor<float, D>&, const Var<float, D>&,  \
                                                  const Var<float, D>&, const Var<float, D>&);    \
  WEFT_LIB_HOLDS Pooled<Tensor<float, D>, Tensor<int32_t, D>> pool::largest<int32_t>(             \
      const char*, const pool::Window&, const Tensor<float, D>&, bool);                           \
  WEFT_LIB_HOLDS Var<float, D> autograd::computed(const char*,                                    \
                                                  const autograd::MaxPoolRule<int32_t, D>&,       \
                                                  const Tensor<float, D>&, const Var<float, D>&); \
  WEFT_LIB_HOLDS Tensor<float, D> pool::average(const char*, const pool::Window&,                 \
                                                const Tensor<float, D>&);                         \
  WEFT_LIB_HOLDS Var<float, D> autograd::computed(const char*, const autograd::AvgPoolRule&,      \
                                                  const Tensor<float, D>&, const Var<float, D>&); \
  WEFT_LIB_HOLDS Var<float, D> nn::detail::Conv<1, D, float>::padded(const Var<float, D>&) const; \
  WEFT_LIB_HOLDS Var<float, D> nn::detail::Conv<2, D, float>::padded(const Var<float, D>&) const; \
  WEFT_LIB_HOLDS Var<float, D> nn::detail::BatchNorm<1, D, float>::run(                           \
      const Var<float, D>&, bool, const Var<float, D>*) const;                                    \
  WEFT_LIB_HOLDS Var<float, D> nn::detail::BatchNorm<2, D, float>::run(                           \
      const Var<float, D>&, bool, const Var<float, D>*) const;                                    \
  WEFT_LIB_HOLDS Var<float, D> nn::Linear<D, float>::operator()(const Var<float, D>&) const;      \
  WEFT_LIB_HOLDS Var<float, D> nn::Linear<D, float>::plus(const Var<float, D>&,                   \
                                                          const Var<float, D>&) const;            \
  WEFT_LIB_HOLDS Var<float, D> nn::Linear<D, float>::relu(const Var<float, D>&, double) const;    \
  WEFT_LIB_HOLDS void nn::init::uniform(const Var<float, D>&, double, double, Generator&);        \
  WEFT_LIB_HOLDS void nn::init::normal(const Var<float, D>&, double, double, Generator&);         \
  WEFT_LIB_HOLDS Var<float, D> autograd::mean_cross_entropy(const Var<float, D>&,                 \
                                                            const Tensor<int64_t, D>&);           \
  /* How many are classified right: count_nonzero(argmax(y, axis(1)) == labels). */               \
  WEFT_LIB_HOLDS Tensor<int64_t, D> detail::materialize_on<int64_t, D>(                           \
      const Reduce<                                                                               \
          reducer::count_nonzero,                                                                 \
          Map<int64_t, op::eq, Reduce<reducer::argmax, Tensor<float, D>>, Tensor<int64_t, D>>>&,  \
      D);                                                                                         \
  WEFT_LIB_HOLDS void detail::write(                                                              \
      const Tensor<float, D>&, const Map<float, op::add, Tensor<float, D>, Tensor<float, D>>&,    \
      const char*);                                                                               \
  WEFT_LIB_MOVES(float, D)                                                                        \
  WEFT_LIB_MOVES(int64_t, D)                                                                      \
  WEFT_LIB_MOVES(int32_t, D)                                                                      \
  WEFT_LIB_MOVES(std::uint8_t, D)

#if !defined(WEFT_LIB_BUILD_NN) || !defined(WEFT_LIB_CUDA)  // lib/nn.cpp has these
WEFT_LIB_LAYERS(Cpu)
WEFT_LIB_HOLDS void nn::detail::Incoming::fill<void>(const StateDict&, const nn::LoadOptions&);
#endif
#if defined(WEFT_LIB_CUDA)
WEFT_LIB_LAYERS(Cuda)
WEFT_LIB_TRANSFER(float)
WEFT_LIB_TRANSFER(int64_t)
WEFT_LIB_TRANSFER(int32_t)
WEFT_LIB_TRANSFER(std::uint8_t)
#endif

}  // namespace weft

#undef WEFT_LIB_LAYERS
#undef WEFT_LIB_TRANSFER
#undef WEFT_LIB_MOVES
#undef WEFT_LIB_UNARY
#undef WEFT_LIB_DROPOUT
#undef WEFT_LIB_CUT
#undef WEFT_LIB_RECORD
#undef WEFT_LIB_HOLDS
