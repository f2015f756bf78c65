// How explain() sees a matrix product with an epilogue: one kernel, or the product and a pass.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/eval/inspect/dry_run.hpp"
#include "weft/eval/product/epilogue.hpp"

namespace weft {
namespace detail {

/// Whether CUDA's library adds the addend in its call: a vector, or a matrix and optionally a
/// vector. On the CPU the addend is first copied to the target.
template <class D, class E>
bool takes_addend(const E& e, const Shape& shape) {
  using Parts = EpilogueParts<E>;
  if constexpr (!is_cuda<D> && Parts::has_bias) {
    return false;
  } else if constexpr (is_cuda<D> && Parts::has_addend) {
    const auto& addend = Parts::addend(Parts::sum(e));
    const int rank = shape.rank();
    const Layout x = layout::expand(addend.layout(), shape);
    bool vector = Parts::beta(Parts::sum(e)) == compute_t<typename E::value_type>(1);
    for (int i = 0; i < rank - 1; ++i) vector = vector && (x.strides[i] == 0 || shape[i] == 1);
    const bool neighbours = rank == 0 || shape[rank - 1] == 1 || x.strides[rank - 1] == 1;
    const bool rows = rank < 2 || shape[rank - 2] == 1 || x.strides[rank - 2] >= shape[rank - 1];
    if constexpr (Parts::has_bias) {
      const auto& bias = Parts::bias(Parts::sum(e));
      return neighbours && rows && is_column_vector(bias.layout(), shape);
    }
    return neighbours && (vector || rows);
  } else {
    return true;
  }
}

template <class Out, class E, class D>
void explain_epilogue(const E& e, const Operand* operands, const Shape& shape, const D& dry) {
  using Device = std::remove_cvref_t<decltype(dry.device)>;
  using Parts = EpilogueParts<E>;
  const auto& product = Parts::product(Parts::sum(e));
  if constexpr (!requires { product.operations(); }) {  // a sparse one
    dry.out->kernels.push_back(opaque_kernel("evaluated:", name_of<E>(), shape));
    ++dry.out->opaque;
  } else if constexpr (can_multiply<Device>()) {
    const bool fuses =
        shape == product.shape() && product.depth() > 0 && takes_addend<Device>(e, shape) &&
        Multiplier<Device>::fuses(Parts::activation, dtype_of<typename E::value_type>);
    if (fuses) {
      const auto planned = planned_product<typename E::device_type>(product);
      dry.out->kernels.push_back(product_kernel(planned, type_name<Out>(), shape,
                                                shape.size() * static_cast<int64_t>(sizeof(Out)),
                                                "result"));
      Explanation::Kernel& kernel = dry.out->kernels.back();
      const auto add = [&](const auto& addend) {
        Operand x;
        x.set(addend.data(), sizeof(*addend.data()), addend.shape(), addend.strides(), nullptr);
        Operand placed = x;
        placed.broadcast_to(shape);
        placed.rank = x.rank;
        add_operand(kernel.reads, placed, type_name<typename E::value_type>(), shape, "added");
      };
      if constexpr (Parts::has_bias) add(Parts::bias(Parts::sum(e)));
      if constexpr (Parts::has_addend) add(Parts::addend(Parts::sum(e)));
      if (Parts::activation == Activation::relu) kernel.work += ", relu";
      if (Parts::activation == Activation::gelu_tanh) kernel.work += ", gelu_tanh";
      return;
    }
    using Types = typename Lowering<E>::types;
    Operand elements[count(Types{}) + 1];
    const auto program = Lowering<E>::template lower<1>(e, elements);
    elements[0] = operands[0];
    broadcast_operands(elements, count(Types{}) + 1, shape);
    Executor<D>::template for_each<Out, Types>(name_of<E>(), dry, shape, elements, program);
  }
}

}  // namespace detail
}  // namespace weft
