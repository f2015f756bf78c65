// Checkpoints of Shards: whole parameters and optimizer state, which any number of ranks reads.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>

#include "weft/dist/sharding/shards.hpp"
#include "weft/tensor/state_dict.hpp"

namespace weft::dist::detail {

/// The piece of each parameter.
template <class T, class D>
std::map<const autograd::Variable*, std::size_t> pieces_of_leaves(Shards<T, D>& shards) {
  std::map<const autograd::Variable*, std::size_t> out;
  for (std::size_t i = 0; i < shards.pieces().size(); ++i) {
    for (const auto& leaf : shards.pieces()[i].leaves) out[leaf.variable().get()] = i;
  }
  return out;
}

/// This rank's part of a piece, whose leaf k has the elements of(k), on the CPU.
template <class E, class T, class D, class F>
Tensor<E, D> part_of(const Shards<T, D>& shards, const Piece<T, D>& p, const F& of) {
  const Group& group = shards.group();
  const Tensor<E> all = zeros<E>({p.part * group.size()});
  for (std::size_t k = 0; k < p.leaves.size(); ++k) {
    const int64_t n = p.leaves[k].size();
    all.narrow(0, p.leaves[k].variable()->place->first, n).assign(of(k).reshape({n}));
  }
  return all.narrow(0, p.part * group.rank(), p.part).clone().to(shards.device());
}

/// All parameters and buffers of a module in pieces, whole and on the CPU; nothing where this rank
/// does not keep them.
template <class T, class D, nn::Module M>
StateDict whole_state(Shards<T, D>& shards, M& module, bool keeps) {
  const auto pieces = pieces_of_leaves(shards);
  StateDict out;
  shards.forget();
  nn::visit(module, [&](const std::string& name, const auto& x) {
    if constexpr (nn::detail::is_var<std::remove_cvref_t<decltype(x)>>) {
      const auto found = pieces.find(x.variable().get());
      if (found != pieces.end()) shards.need(found->second);
      if (keeps) out.add(name, x.value().to(Cpu{}).clone());
    } else if (keeps) {
      out.add(name, x.to(Cpu{}).clone());
    }
  });
  return out;
}

/// Writes a state dict of whole tensors into the parts; throws ValueError, having changed nothing,
/// for a name that is missing or a shape that differs.
template <class T, class D, nn::Module M>
void load_whole_state(Shards<T, D>& shards, M& module, const StateDict& dict) {
  nn::visit(module, [&](const std::string& name, const auto& x) {
    if (!(dict.at(name).shape() == x.shape())) {
      fail<ValueError>("load_state_dict", "'", name.c_str(), "' of shape ", dict.at(name).shape(),
                       " for ", x.shape());
    }
  });
  const auto pieces = pieces_of_leaves(shards);
  std::map<const autograd::Variable*, std::string> names;
  nn::visit(module, [&](const std::string& name, const auto& x) {
    if constexpr (nn::detail::is_var<std::remove_cvref_t<decltype(x)>>) {
      if (pieces.contains(x.variable().get())) {
        names[x.variable().get()] = name;
      } else {
        x.value().assign(dict.at(name).template to<T>(x.device()));
      }
    } else {
      using E = typename std::remove_cvref_t<decltype(x)>::value_type;
      x.assign(dict.at(name).template to<E>(x.device()));
    }
  });
  for (const auto& p : shards.pieces()) {
    p.shard.value().assign(part_of<T>(shards, p, [&](std::size_t k) {
      return dict.at(names.at(p.leaves[k].variable().get())).template to<T>(Cpu{});
    }));
  }
}

/// "state.3.exp_avg" is of piece 3.
template <class T, class D>
std::pair<const Piece<T, D>*, std::string> state_of(Shards<T, D>& shards, const std::string& name,
                                                    int64_t size) {
  const auto dot = name.find('.', 6);
  const auto i = static_cast<std::size_t>(std::stol(name.substr(6, dot - 6)));
  if (i >= shards.pieces().size() || shards.pieces()[i].part != size) {
    fail<ValueError>("optimizer_state", name.c_str(), " has ", size,
                     " elements, expected the state of an optimizer of this model's parameters(), ",
                     "one number an element");
  }
  return {&shards.pieces()[i], name.substr(dot + 1)};
}

/// An optimizer's state by the parameters' names, whole and on the CPU.
template <class T, class D, class O>
StateDict optimizer_state(Shards<T, D>& shards, const O& optimizer) {
  using C = compute_t<T>;
  using Loops = std::conditional_t<is_cuda<D>, Cuda, D>;
  StateDict out;
  const StateDict dict = optimizer.state_dict();
  for (const auto& [name, x] : dict) {
    if (name.starts_with("groups.") && !name.ends_with(".parameters")) out.add(name, x);
    if (!name.starts_with("state.")) continue;
    const auto [p, kind] = state_of(shards, name, x.size());
    const Tensor<C, D> all = zeros<C>({p->part * shards.group().size()}, shards.device());
    shards.group().all_gather(all, Tensor<C, D>(dict.template get<C, Loops>(name)));
    const Tensor<C> whole = all.to(Cpu{});
    for (std::size_t k = 0; k < p->leaves.size(); ++k) {
      const auto& leaf = p->leaves[k];
      const int64_t first = leaf.variable()->place->first;
      out.add("state." + p->names[k] + "." + kind,
              whole.narrow(0, first, leaf.size()).reshape(leaf.shape()).clone());
    }
  }
  return out;
}

/// Restores an optimizer of the parts from it.
template <class T, class D, class O>
void load_optimizer_state(Shards<T, D>& shards, O& optimizer, const StateDict& dict) {
  using C = compute_t<T>;
  StateDict own;
  for (const auto& [name, x] : optimizer.state_dict()) {
    if (!name.starts_with("state.")) {
      own.add(name, name.ends_with(".parameters") ? x : dict.at(name));
      continue;
    }
    const auto [p, kind] = state_of(shards, name, x.size());
    own.add(name, part_of<C>(shards, *p, [&, p = p, kind = kind](std::size_t k) {
              const Tensor<C> whole =
                  dict.at("state." + p->names[k] + "." + kind).template to<C>(Cpu{});
              const Shape& expected = p->leaves[k].shape();
              if (!(whole.shape() == expected)) {
                fail<ValueError>("load_optimizer_state", p->names[k].c_str(), " has ", kind.c_str(),
                                 " of shape ", whole.shape(), ", expected ", expected);
              }
              return whole;
            }));
  }
  optimizer.load_state_dict(own);
}

}  // namespace weft::dist::detail
