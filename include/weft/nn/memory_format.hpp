// channels_last(net): the weights of convolutions in the format of channels-last images.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/nn/flatten.hpp"

namespace weft::nn {

/// Puts the parameters of a module that have 4 or 5 axes, as the weights of convolutions, in the
/// format that channels_last gives images, and their gradients too; PyTorch's net.to(memory_format=
/// torch.channels_last). Shapes, names and values stay. Convolutions of channels-last images then
/// read the weights directly, instead of a copy in each step. Call it before flatten_parameters and
/// before creating the optimizer: a parameter with handles outside of the module throws ValueError,
/// and nothing is changed.
template <Module M>
void channels_last(M& module) {
  using V = parameter_t<M>;
  static_assert(!std::is_void_v<V>, "weft: this module has no parameters: its fields() name none");
  const auto wanted = [](const V& x) { return x.rank() == 4 || x.rank() == 5; };
  for (auto& found : detail::parameters_to_move<V>("channels_last", module, wanted)) {
    const V& x = *found.handles[0];
    const auto variable = x.variable();
    variable->channels_last = true;
    if (variable->has_gradient) {
      variable->gradient = weft::detail::in_format(variable->gradient, true);
    }
    const V moved(weft::detail::in_format(x.value(), true), variable);
    for (V* handle : found.handles) *handle = moved;
  }
}

}  // namespace weft::nn
