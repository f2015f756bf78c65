// OptimizerLike: what every optimizer can do, as schedules and training loops use it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>

#include "weft/tensor/state_dict.hpp"

namespace weft::optim {

/// Has groups of parameters, a learning rate for each, zero_grad() and a state that can be saved.
/// Stepping differs: step() for most, step(closure) for LBFGS.
template <class O>
concept OptimizerLike = requires(O& o, const O& c, double lr, std::size_t group,
                                 const StateDict& dict) {
  c.zero_grad();
  c.parameters().size();
  { c.groups().size() } -> std::convertible_to<std::size_t>;
  { c.lr(group) } -> std::convertible_to<double>;
  o.set_lr(lr, group);
  { c.state_dict() } -> std::same_as<StateDict>;
  o.load_state_dict(dict);
};

}  // namespace weft::optim
