// What a kernel reads and writes, as an Explanation lists it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/eval/inspect/placeholder_storage.hpp"

namespace weft::detail {

template <class T>
constexpr const char* type_name() {
  if constexpr (std::is_same_v<T, IndexOperand>) {
    return nullptr;
  } else {
    return name(dtype_of<typename Canonical<T>::type>);
  }
}

/// Adds the bytes that a kernel moves of an operand with these strides along `sizes`.
WEFT_OUTLINED inline void add_operand(std::vector<Explanation::Operand>& list, const Operand& x,
                                      const char* type, const Shape& sizes, const char* note) {
  if (type == nullptr && x.gathered == 0) return;  // positions have no memory
  Explanation::Operand found;
  found.bytes = x.gathered != 0 ? x.gathered : x.itemsize;
  for (int i = 0; i < sizes.rank(); ++i) {
    if (x.stride[i] != 0 || x.gathered != 0) found.bytes *= sizes[i];
  }
  if (x.gathered != 0) {  // at most what there is
    type = "gathered";
    if (x.reached_bytes < found.bytes) found.bytes = x.reached_bytes;
  }
  for (int i = 0; i < x.rank; ++i) found.shape.push_back(x.size[i]);
  const char* const address = x.gathered != 0 ? x.reached : x.data;
  for (Explanation::Operand& known : list) {
    if (known.address == address && known.shape == found.shape && known.bytes == found.bytes &&
        known.type == type) {
      ++known.occurrences;
      return;
    }
  }
  found.type = type;
  found.address = address;
  found.note = is_temporary(x) ? "temporary" : note;
  list.push_back(static_cast<Explanation::Operand&&>(found));
}

/// The dimensions of both lists.
inline Shape joined(const Shape& a, const Shape& b) {
  Shape out = a;
  for (int64_t size : b) out.push_back(size);
  return out;
}

/// The targets' types of a for_each of Out.
template <class Out>
struct Targets {
  using types = TypeList<Out>;
};
template <class... Outs>
struct Targets<TypeList<Outs...>> {
  using types = TypeList<Outs...>;
};

/// Adds a kernel over operands, targets first.
template <class... Outs, class... Ts>
Explanation::Kernel& add_kernel(Explanation& out, const char* kind, Text work, const Shape& sizes,
                                const Operand* operands, TypeList<Outs...>, TypeList<Ts...>) {
  out.kernels.emplace_back();
  Explanation::Kernel& kernel = out.kernels.back();
  kernel.kind = kind;
  kernel.work = static_cast<Text&&>(work);
  int i = 0;
  (add_operand(kernel.writes, operands[i++], type_name<Outs>(), sizes, "result"), ...);
  (add_operand(kernel.reads, operands[i++], type_name<Ts>(), sizes, ""), ...);
  return kernel;
}

/// Adds what a kernel reads, but for the operands in `left_out`: bit i for operand i, the target
/// being operand 0.
template <class... Ts>
void add_reads(Explanation::Kernel& kernel, const Shape& sizes, const Operand* operands,
               std::uint64_t left_out, TypeList<Ts...>) {
  int i = 0;
  const auto add = [&](const char* type) {
    ++i;
    if ((left_out >> i & 1U) == 0) add_operand(kernel.reads, operands[i], type, sizes, "");
  };
  (add(type_name<Ts>()), ...);
}

}  // namespace weft::detail
