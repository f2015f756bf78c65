// summary(net, input): a table of a network's modules, their parameters, shapes and times.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <string_view>

#include "weft/nn/layers/sequential.hpp"
#include "weft/nn/module.hpp"
#include "weft/nn/watched.hpp"

namespace weft::nn {

namespace detail {
/// The name of a type without its namespaces and arguments, as the compiler writes it.
template <class M>
std::string module_name() {
  std::string_view text = __PRETTY_FUNCTION__;
  const auto begin = text.find("M = ");
  text = begin == std::string_view::npos ? text : text.substr(begin + 4);
  text = text.substr(0, text.find_first_of("<;]"));
  const auto last = text.rfind(':');
  if (last != std::string_view::npos) text.remove_prefix(last + 1);
  return std::string(text);
}

/// The number of elements of all parameters, counting shared ones once; 0 for modules without any.
template <Module M>
int64_t parameter_count(const M& module) {
  if constexpr (std::is_void_v<parameter_t<M>>) {
    return 0;
  } else {
    return count(module);
  }
}

template <class X>
std::string in_words(const X& x) {
  const Text out = text(x);
  return out.c_str();
}

/// The rows of a table, padded to the widest cell of each column.
class Table {
 public:
  void add(std::vector<std::string> cells) {
    rows_.push_back(static_cast<decltype(cells)&&>(cells));
  }
  std::string text() const {
    std::vector<std::size_t> width;
    for (const auto& row : rows_) {
      width.resize(std::max(width.size(), row.size()));
      for (std::size_t i = 0; i < row.size(); ++i) width[i] = std::max(width[i], row[i].size());
    }
    std::string out;
    for (const auto& row : rows_) {
      std::string line;
      for (std::size_t i = 0; i < row.size(); ++i) {
        line += row[i] + std::string(width[i] - row[i].size() + 2, ' ');
      }
      line.erase(line.find_last_not_of(' ') + 1);
      out += line + "\n";
    }
    return out;
  }

 private:
  std::vector<std::vector<std::string>> rows_;
};

/// Whether one of some fields is a module at this address.
inline bool has_module_at(const void*, const Fields<>&) { return false; }
template <class X, class... Rest>
bool has_module_at(const void* address, const Fields<X, Rest...>& fields) {
  if constexpr (is_optional<std::remove_cv_t<X>>) {
    if (Module<typename X::value_type> && &fields.first.value == address) return true;
  } else {
    if (Module<X> && &fields.first.value == address) return true;
  }
  return has_module_at(address, fields.rest);
}

/// What one forward pass did, layer by layer: the results' shapes, and the time from a layer's call
/// to that of the next one.
template <class D>
class LayerTimes final : public Watcher {
 public:
  struct Entry {
    const void* layer;
    const char* type;
    std::string result;
    double ms = 0;
  };

  explicit LayerTimes(D device) : device_(device), before_(watcher()) {
    watcher() = this;
    synchronize(device_);
    last_ = Clock::now();
  }
  ~LayerTimes() { watcher() = before_; }
  LayerTimes(const LayerTimes&) = delete;
  LayerTimes& operator=(const LayerTimes&) = delete;

  void enter(const void* layer, const char* type) override {
    stop();
    current_ = index_of(layer, type);
  }
  void leave(const void* layer, const char* type, const Shape& result) override {
    entries_[index_of(layer, type)].result = in_words(result);
  }
  /// Gives the layer that runs the time since its call.
  void stop() {
    synchronize(device_);
    const auto now = Clock::now();
    if (!entries_.empty()) {
      entries_[current_].ms += std::chrono::duration<double, std::milli>(now - last_).count();
    }
    last_ = now;
  }
  /// What is known of a module: by its address and type, or, as layers such as Conv2d derive from
  /// the one that is called, by its address, unless that is also the address of a module in it.
  template <class M>
  const Entry* find(const M& module) const {
    for (const Entry& e : entries_) {
      if (e.layer == &module && e.type == &type_mark<M>) return &e;
    }
    const bool begins_with_module = has_module_at(&module, fields_of(module));
    for (const Entry& e : entries_) {
      if (!begins_with_module && e.layer == &module) return &e;
    }
    return nullptr;
  }

 private:
  using Clock = std::chrono::steady_clock;

  std::size_t index_of(const void* layer, const char* type) {
    for (std::size_t i = 0; i < entries_.size(); ++i) {
      if (entries_[i].layer == layer && entries_[i].type == type) return i;
    }
    entries_.push_back({layer, type, {}});
    return entries_.size() - 1;
  }

  D device_;
  Watcher* before_;
  std::vector<Entry> entries_;
  std::size_t current_ = 0;
  Clock::time_point last_;
};

inline std::string milliseconds(double time) {
  char out[32];
  std::snprintf(out, sizeof(out), "%.3f ms", time);
  return out;
}

template <class M, class D>
void list_modules(Table& table, const std::string& name, const M& module, int depth,
                  const LayerTimes<D>& seen);

template <class D>
void list_modules_in(Table&, const Fields<>&, int, const LayerTimes<D>&) {}
template <class X, class... Rest, class D>
void list_modules_in(Table& table, const Fields<X, Rest...>& fields, int depth,
                     const LayerTimes<D>& seen) {
  if constexpr (pass_of<X>() == Pass::children) {
    list_modules(table, fields.first.name.string(), fields.first.value, depth, seen);
  }
  list_modules_in(table, fields.rest, depth, seen);
}

template <class M, class D>
void list_modules(Table& table, const std::string& name, const M& module, int depth,
                  const LayerTimes<D>& seen) {
  if constexpr (is_optional<M>) {
    if (module) list_modules(table, name, *module, depth, seen);
  } else if constexpr (is_list<M>) {
    for (std::size_t i = 0; i < module.size(); ++i) {
      list_modules(table, name + "." + std::to_string(i), module[i], depth, seen);
    }
  } else if constexpr (is_dict<M>) {
    for (std::size_t i = 0; i < module.size(); ++i) {
      list_modules(table, name + "." + module.name(i), module[i], depth, seen);
    }
  } else if constexpr (Module<M>) {
    const auto* const entry = seen.find(module);
    table.add({std::string(static_cast<std::size_t>(2 * depth), ' ') + name, module_name<M>(),
               std::to_string(parameter_count(module)), entry != nullptr ? entry->result : "",
               entry != nullptr ? milliseconds(entry->ms) : ""});
    list_modules_in(table, fields_of(module), depth + 1, seen);
  }
}

/// Runs f, synchronizes, and returns its value and the time in milliseconds.
template <class F, class D>
auto timed(const F& f, D device) {
  synchronize(device);
  const auto start = std::chrono::steady_clock::now();
  auto y = f();
  synchronize(device);
  const std::chrono::duration<double, std::milli> time = std::chrono::steady_clock::now() - start;
  return std::pair(y, time.count());
}
}  // namespace detail

/// A printable table: each module's field name, type and number of parameters; for layers with
/// parameters and for the modules of a Sequential also the shape of the result and the time from
/// its call to that of the next one (element-wise functions in between count). Below it the total
/// number of parameters, the shape of the output and the time of a forward pass. It runs inside a
/// NoGrad, in the network's current mode.
template <Module M, class X>
std::string summary(const M& net, const X& input) {
  const NoGrad guard;
  const Var first = input;
  detail::Table table;
  (void)net(first);  // warms up
  table.add({"module", "type", "parameters", "output", "time"});
  {
    detail::LayerTimes seen(first.device());
    (void)Var(net(first));
    seen.stop();
    detail::list_modules(table, "net", net, 0, seen);
  }
  const auto [y, time] = detail::timed([&] { return Var(net(first)); }, first.device());
  return table.text() + "parameters: " + std::to_string(detail::parameter_count(net)) + "\n" +
         detail::in_words(first.shape()) + " -> " + detail::in_words(y.shape()) + " in " +
         detail::milliseconds(time) + "\n";
}

}  // namespace weft::nn
