// Unit: a part of a model whose parameters are complete only while it is being computed.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "weft/dist/replicas.hpp"

namespace weft::dist {

namespace detail {
/// What a FullyShardedDataParallel does around a Unit.
struct UnitHooks {
  UnitHooks() = default;
  UnitHooks(const UnitHooks&) = delete;
  UnitHooks& operator=(const UnitHooks&) = delete;
  virtual ~UnitHooks() = default;
  virtual bool owns(const autograd::Variable* parameter) const = 0;
  virtual void before_forward() = 0;
  virtual void before_backward() = 0;
};
}  // namespace detail

/// A module, with its members and its names in a state dict, that a FullyShardedDataParallel keeps
/// in parts: the parameters come together before each of its calls and before its backward pass.
/// Outside of one it is just the module. Make Units of, for instance, the blocks of a transformer:
///   std::vector<dist::Unit<Block<D>>> blocks;
/// Units must not be nested, all ranks must call them in the same order, and their results must be
/// new Vars, not views of their parameters.
template <nn::Module M>
struct Unit : M {
  Unit() = default;
  explicit Unit(M module) : M(static_cast<M&&>(module)) {}

  template <class... Xs>
  auto operator()(const Xs&... xs) const {
    const auto hooks = attached();
    if (hooks) hooks->before_forward();
    auto out = detail::settled(static_cast<const M&>(*this)(xs...));
    if (hooks && is_grad_enabled()) {
      detail::for_each_output(out, [&](const auto& y) {
        if (!y.requires_grad() || y.is_leaf()) return;
        y.register_hook([hooks](const auto&) { hooks->before_backward(); });
      });
    }
    return out;
  }

  /// For FullyShardedDataParallel.
  void attach(std::shared_ptr<detail::UnitHooks> hooks) {
    hooks_ = std::move(hooks);
    self_ = this;
  }

 private:
  /// Copies that share the parameters share the hooks; clones have none.
  std::shared_ptr<detail::UnitHooks> attached() const {
    if (!hooks_ || self_ == this) return hooks_;
    bool owned = false;
    nn::visit(*this, [&](const std::string&, const auto& x) {
      if constexpr (nn::detail::is_var<std::remove_cvref_t<decltype(x)>>) {
        owned = owned || hooks_->owns(x.variable().get());
      }
    });
    return owned ? hooks_ : nullptr;
  }

  std::shared_ptr<detail::UnitHooks> hooks_;
  const void* self_ = nullptr;
};

template <class M>
inline constexpr bool is_unit = false;
template <class M>
inline constexpr bool is_unit<Unit<M>> = true;

/// What a piece is made of: leaves, each with all handles to it, and whether they stay whole.
template <class T, class D>
struct PieceSpec {
  std::vector<std::vector<Var<T, D>*>> leaves;
  std::vector<std::string> names;
  bool stays = true;
};

namespace detail {
template <class M>
bool has_parameters(M& module) {
  bool any = false;
  nn::visit(module, [&](const std::string&, const auto& x) {
    if constexpr (nn::detail::is_var<std::remove_cvref_t<decltype(x)>>) {
      any = any || x.requires_grad();
    }
  });
  return any;
}

/// The pieces of a module: one for each Unit with parameters, in the order of visit_modules, then
/// buckets of the other parameters. Throws ValueError if Units share a parameter, or one has
/// handles outside of the module.
template <class T, class D, nn::Module M>
std::vector<PieceSpec<T, D>> pieces_of(const char* operation, M& module, bool shelter_units,
                                       int64_t bucket_bytes) {
  std::map<const autograd::Variable*, std::size_t> unit_of;
  std::size_t units = 0;
  nn::visit_modules(module, [&](auto& m) {
    if constexpr (is_unit<std::remove_cvref_t<decltype(m)>>) {
      if (!has_parameters(m)) return;
      nn::visit(m, [&](const std::string& name, auto& x) {
        if constexpr (nn::detail::is_var<std::remove_cvref_t<decltype(x)>>) {
          if (!x.requires_grad()) return;
          const auto [at, added] = unit_of.try_emplace(x.variable().get(), units);
          if (!added && at->second != units) {
            fail<ValueError>(operation, name.c_str(), " of shape ", x.shape(),
                             " is in two Units, expected Units beside each other");
          }
        }
      });
      ++units;
    }
  });
  struct Leaf {
    std::vector<Var<T, D>*> handles;
    std::string name;
  };
  std::vector<Leaf> leaves;
  std::map<const autograd::Variable*, std::size_t> seen;
  nn::visit(module, [&](const std::string& name, auto& x) {
    if constexpr (nn::detail::is_var<std::remove_cvref_t<decltype(x)>>) {
      if (!x.requires_grad()) return;
      const auto [at, added] = seen.try_emplace(x.variable().get(), leaves.size());
      if (added) leaves.push_back({{}, name});
      leaves[at->second].handles.push_back(&x);
    }
  });
  std::vector<PieceSpec<T, D>> out(units);
  for (auto& spec : out) spec.stays = !shelter_units;
  int64_t bytes = 0;  // of the last bucket
  for (auto& leaf : leaves) {
    const auto& x = *leaf.handles[0];
    const auto count = static_cast<long>(leaf.handles.size());
    if (x.variable()->owners != count) {
      fail<ValueError>(operation, leaf.name.c_str(), " has ", x.variable()->owners,
                       " handles, expected ", count,
                       " in the module alone: make the optimizer afterwards, of parameters()");
    }
    const auto in = unit_of.find(x.variable().get());
    PieceSpec<T, D>* spec = nullptr;
    if (in != unit_of.end()) {
      spec = &out[in->second];
    } else {
      const int64_t mine = x.size() * static_cast<int64_t>(sizeof(T));
      if (out.size() == units || bytes + mine > bucket_bytes) {
        out.emplace_back();
        bytes = 0;
      }
      bytes += mine;
      spec = &out.back();
    }
    spec->leaves.push_back(leaf.handles);
    spec->names.push_back(leaf.name);
  }
  return out;
}
}  // namespace detail

}  // namespace weft::dist
