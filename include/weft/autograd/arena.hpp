// Arenas: leaves whose values, and whose gradients, are packed into one block of memory each.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/autograd/var.hpp"

namespace weft::autograd {

/// The alignment of each leaf in an arena, the same as if it had memory of its own.
inline constexpr int64_t arena_alignment = 256;

/// The distance in elements from a leaf to the next one.
template <class T>
constexpr int64_t arena_extent(int64_t size) {
  constexpr auto unit = arena_alignment / static_cast<int64_t>(sizeof(T));
  return (size + unit - 1) / unit * unit;
}

/// A leaf's elements in an arena, or in states laid out like one: all[first] and following, in the
/// leaf's shape and memory format.
template <class T, class U, class D>
Tensor<T, D> arena_part(const Tensor<T, D>& all, int64_t first, const Var<U, D>& leaf) {
  const Tensor<T, D> part = all.narrow(0, first, leaf.size());
  const bool last = leaf.variable() && leaf.variable()->channels_last;
  const Strides strides =
      last ? channels_last_strides(leaf.shape()) : contiguous_strides(leaf.shape());
  return weft::detail::Access::make<T, D>(StorageHandle(weft::detail::Access::storage(part)),
                                          part.data(), leaf.shape(), strides);
}

/// Moves leaves, each a handle, into an arena in this order: values, and gradients that already
/// exist. They remain the same leaves, but other handles to them keep the old memory.
template <class T, class D>
void move_into_arena(const std::vector<Var<T, D>*>& leaves) {
  if (leaves.empty()) return;
  const D device = leaves[0]->device();
  int64_t total = 0;
  for (const auto* x : leaves) total += arena_extent<T>(x->size());
  const Tensor<T, D> values = zeros<T>({total}, device);
  const Tensor<T, D> gradients = zeros<T>({total}, device);
  int64_t first = 0;
  for (auto* x : leaves) {
    VariableOf<T, D>& variable = *x->variable();
    const Tensor<T, D> value = arena_part(values, first, *x);
    const Tensor<T, D> gradient = arena_part(gradients, first, *x);
    value.assign(x->value());
    variable.place = Ref(new Place<T, D>);
    variable.place->first = first;
    variable.place->next = first += arena_extent<T>(x->size());
    variable.place->gradient = gradient;
    if (variable.has_gradient) variable.set_gradient(Tensor<T, D>(variable.gradient));
    *x = Var<T, D>(value, x->variable());
  }
}

/// Whether b directly follows a in an arena.
template <class T, class D>
bool follows(const Var<T, D>& a, const Var<T, D>& b) {
  if (!a.variable() || !b.variable()) return false;
  const auto& one = a.variable()->place;
  const auto& two = b.variable()->place;
  return one && two && one->next == two->first &&
         one->gradient.storage() == two->gradient.storage() &&
         a.value().storage() == b.value().storage() &&
         b.value().data() - a.value().data() == two->first - one->first;
}

/// The n elements of the arena that begin at x.
template <class T, class D>
Tensor<T, D> stretched(const Tensor<T, D>& x, int64_t n) {
  return weft::detail::Access::make<T, D>(StorageHandle(weft::detail::Access::storage(x)), x.data(),
                                          {n}, contiguous_strides({n}));
}

/// Calls f(i, n) for each run of n parameters, beginning at parameter i, that are contiguous in
/// memory, so that one kernel can update them; skips those for which wanted(x) is false.
template <class T, class D, class W, class F>
void for_each_run(const std::vector<Var<T, D>>& parameters, const W& wanted, const F& f) {
  std::size_t end = 0;
  for (std::size_t i = 0; i < parameters.size(); i = end) {
    end = i + 1;
    if (!wanted(parameters[i])) continue;
    while (end < parameters.size() && wanted(parameters[end]) &&
           follows(parameters[end - 1], parameters[end])) {
      ++end;
    }
    f(i, end - i);
  }
}

/// A run of n parameters from parameter i on, padding included, as one tensor; of(x) gives the
/// tensor of each.
template <class T, class D, class Of>
auto joined(const std::vector<Var<T, D>>& parameters, std::size_t i, std::size_t n, const Of& of) {
  const auto& first = of(i);
  if (n == 1) return first;
  const auto& last = parameters[i + n - 1];
  return stretched(
      first, last.variable()->place->first - parameters[i].variable()->place->first + last.size());
}

}  // namespace weft::autograd
