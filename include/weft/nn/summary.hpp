// summary(net, input): a table of a network's modules, their parameters, shapes and times.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <string_view>

#include "weft/nn/layers/sequential.hpp"
#include "weft/nn/module.hpp"

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

template <class M>
void list_modules(Table& table, const std::string& name, const M& module, int depth);

inline void list_modules_in(Table&, const Fields<>&, int) {}
template <class X, class... Rest>
void list_modules_in(Table& table, const Fields<X, Rest...>& fields, int depth) {
  if constexpr (pass_of<X>() == Pass::children) {
    list_modules(table, fields.first.name.string(), fields.first.value, depth);
  }
  list_modules_in(table, fields.rest, depth);
}

template <class M>
void list_modules(Table& table, const std::string& name, const M& module, int depth) {
  if constexpr (is_optional<M>) {
    if (module) list_modules(table, name, *module, depth);
  } else if constexpr (is_list<M>) {
    for (std::size_t i = 0; i < module.size(); ++i) {
      list_modules(table, name + "." + std::to_string(i), module[i], depth);
    }
  } else if constexpr (is_dict<M>) {
    for (std::size_t i = 0; i < module.size(); ++i) {
      list_modules(table, name + "." + module.name(i), module[i], depth);
    }
  } else if constexpr (Module<M>) {
    table.add({std::string(static_cast<std::size_t>(2 * depth), ' ') + name, module_name<M>(),
               std::to_string(parameter_count(module))});
    list_modules_in(table, fields_of(module), depth + 1);
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
inline std::string milliseconds(double time) {
  char out[32];
  std::snprintf(out, sizeof(out), "%.3f ms", time);
  return out;
}

template <std::size_t I, class S, class X>
auto list_steps(Table& table, const S& net, const X& x) {
  if constexpr (I == std::tuple_size_v<decltype(net.modules)>) {
    return x;
  } else {
    const auto& module = std::get<I>(net.modules);
    const auto [y, time] = timed([&] { return Var(module(x)); }, x.device());
    using M = std::remove_cvref_t<decltype(module)>;
    table.add({std::to_string(I), module_name<M>(), std::to_string(parameter_count(module)),
               in_words(y.shape()), milliseconds(time)});
    return list_steps<I + 1>(table, net, y);
  }
}
template <class M>
inline constexpr bool is_sequential = false;
template <class... Ms>
inline constexpr bool is_sequential<Sequential<Ms...>> = true;
}  // namespace detail

/// A printable table: each module's field name, type and number of parameters; for the modules of a
/// Sequential also the shape of the output and the time taken. Below it the total number of
/// parameters, the shape of the output and the time of a forward pass (the second of two). It runs
/// inside a NoGrad, in the network's current mode.
template <Module M, class X>
std::string summary(const M& net, const X& input) {
  const NoGrad guard;
  const Var first = input;
  detail::Table table;
  (void)net(first);  // warms up
  if constexpr (detail::is_sequential<M>) {
    table.add({"module", "type", "parameters", "output", "time"});
    (void)detail::list_steps<0>(table, net, first);
  } else {
    table.add({"module", "type", "parameters"});
    detail::list_modules(table, "net", net, 0);
  }
  const auto [y, time] = detail::timed([&] { return Var(net(first)); }, first.device());
  return table.text() + "parameters: " + std::to_string(detail::parameter_count(net)) + "\n" +
         detail::in_words(first.shape()) + " -> " + detail::in_words(y.shape()) + " in " +
         detail::milliseconds(time) + "\n";
}

}  // namespace weft::nn
