// StateDict: named tensors of any type and device, in order, as exchanged by models and files.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "weft/tensor/any_tensor.hpp"

namespace weft {

/// Tensors by name, in the order in which they were added; names are unique. Iterating gives
/// `const auto& [name, tensor]`.
class StateDict {
 public:
  using Entry = std::pair<std::string, AnyTensor>;

  StateDict() = default;
  StateDict(std::initializer_list<Entry> entries) {
    for (const Entry& entry : entries) add(entry.first, entry.second);
  }

  /// Text metadata that belongs to the tensors; a safetensors file stores it.
  std::map<std::string, std::string> metadata;

  /// Adds a tensor under a new name; throws ValueError if the name is taken.
  void add(std::string name, AnyTensor tensor) {
    if (!places_.emplace(name, entries_.size()).second) {
      fail<ValueError>("StateDict::add", "the name '", name, "' is already taken");
    }
    entries_.emplace_back(std::move(name), std::move(tensor));
  }
  /// Adds a tensor, or replaces the one with that name at its position.
  void set(const std::string& name, AnyTensor tensor) {
    const auto found = places_.find(name);
    if (found == places_.end()) return add(name, std::move(tensor));
    entries_[found->second].second = std::move(tensor);
  }
  /// Removes the tensor with that name; false if there is none.
  bool erase(const std::string& name) {
    const auto found = places_.find(name);
    if (found == places_.end()) return false;
    const std::size_t place = found->second;
    entries_.erase(entries_.begin() + static_cast<std::ptrdiff_t>(place));
    places_.erase(found);
    for (auto& [other, at] : places_) at -= at > place ? 1 : 0;
    return true;
  }
  /// Adds all entries of `other`; if a name is taken, throws ValueError without adding anything.
  void add(const StateDict& other, const std::string& prefix = "") {
    for (const Entry& entry : other.entries_) {
      if (contains(prefix + entry.first)) {
        fail<ValueError>("StateDict::add", "the name '", prefix + entry.first,
                         "' is already taken");
      }
    }
    const std::size_t count = other.size();
    for (std::size_t i = 0; i < count; ++i) {
      add(prefix + other.entries_[i].first, other.entries_[i].second);
    }
  }

  /// The tensor with that name, or null.
  const AnyTensor* find(const std::string& name) const {
    const auto found = places_.find(name);
    return found == places_.end() ? nullptr : &entries_[found->second].second;
  }
  bool contains(const std::string& name) const { return find(name) != nullptr; }
  /// The tensor with that name; throws IndexError if there is none.
  const AnyTensor& at(const std::string& name) const {
    const AnyTensor* const found = find(name);
    if (found == nullptr) {
      fail<IndexError>("StateDict::at", "no tensor named '", name, "' among ", size());
    }
    return *found;
  }
  const AnyTensor& operator[](const std::string& name) const { return at(name); }
  /// The tensor with that name as a Tensor<T, D>, sharing its elements.
  template <Element T, Device D = Cpu>
  Tensor<T, D> get(const std::string& name) const {
    const AnyTensor& x = at(name);
    if (x.dtype() != dtype_of<T> || x.is_on_cpu() == is_cuda<D>) {
      fail<ValueError>("StateDict::get", "'", name, "' is ", x.dtype(), " on ", x.device_name(),
                       ", expected ", dtype_of<T>, " on ", D{});
    }
    return x.get<T, D>();
  }

  /// The entries whose names begin with `prefix`, with the prefix removed; without metadata.
  StateDict under(const std::string& prefix) const {
    StateDict out;
    for (const Entry& entry : entries_) {
      if (entry.first.starts_with(prefix)) out.add(entry.first.substr(prefix.size()), entry.second);
    }
    return out;
  }

  std::vector<std::string> names() const {
    std::vector<std::string> out;
    for (const Entry& entry : entries_) out.push_back(entry.first);
    return out;
  }
  std::size_t size() const { return entries_.size(); }
  bool empty() const { return entries_.empty(); }
  auto begin() const { return entries_.begin(); }
  auto end() const { return entries_.end(); }

 private:
  std::vector<Entry> entries_;
  std::map<std::string, std::size_t> places_;
};

}  // namespace weft
