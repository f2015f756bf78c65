// What a function that runs one operator sees: inputs, attributes, and where results go.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>

#include "case.hpp"
#include "weft/arrays.hpp"
#include "weft/conv.hpp"

namespace conformance {

using std::int16_t;
using std::int32_t;
using std::int64_t;
using std::int8_t;
using std::uint16_t;
using std::uint32_t;
using std::uint64_t;
using std::uint8_t;
using weft::axis;
using weft::bfloat16;
using weft::Cpu;
using weft::half;
using weft::keepdims;
using Float = Tensor<float>;
using Int = Tensor<int64_t>;

class Call {
 public:
  Call(const Node& node, std::vector<Value> inputs) : node_(node), inputs_(std::move(inputs)) {}

  int count() const { return static_cast<int>(inputs_.size()); }
  int64_t version() const { return node_.version; }
  int results() const { return static_cast<int>(node_.outputs.size()); }
  /// Whether input i was given.
  bool has(int i) const { return i < count() && inputs_[static_cast<std::size_t>(i)].present; }
  const Value& value(int i) const {
    if (!has(i)) throw std::runtime_error(node_.op + " has no input " + std::to_string(i));
    return inputs_[static_cast<std::size_t>(i)];
  }
  const Shape& shape(int i) const { return value(i).tensor.shape(); }
  weft::Dtype dtype(int i) const { return value(i).tensor.dtype(); }

  template <class T>
  Tensor<T> get(int i) const {
    const Value& v = value(i);
    if (!v.small.empty() || v.tensor.dtype() != weft::dtype_of<T>) reject(i);
    return v.tensor.get<T>();
  }
  Float f32(int i) const { return get<float>(i); }

  /// A small tensor's elements as integers.
  std::vector<int64_t> list(int i) const {
    std::vector<int64_t> out;
    for (double x : numbers(value(i))) out.push_back(static_cast<int64_t>(x));
    return out;
  }
  double number(int i) const { return numbers(value(i)).at(0); }

  /// Calls f(tensor) for the one of the types that input i has.
  template <class... Ts, class F>
  void visit(int i, F f) const {
    const Value& v = value(i);
    if (!v.small.empty() ||
        !((v.tensor.dtype() == weft::dtype_of<Ts> ? (f(v.tensor.get<Ts>()), true) : false) ||
          ...)) {
      reject(i);
    }
  }

  bool given(const char* name) const { return node_.attributes.count(name) != 0; }
  int64_t integer(const char* name, int64_t otherwise = 0) const {
    const auto at = node_.attributes.find(name);
    return at == node_.attributes.end() ? otherwise : at->second.integers.at(0);
  }
  double number(const char* name, double otherwise) const {
    const auto at = node_.attributes.find(name);
    return at == node_.attributes.end() ? otherwise : at->second.numbers.at(0);
  }
  /// As `number`, as a float, which is exact.
  float real(const char* name, double otherwise) const {
    return static_cast<float>(number(name, otherwise));
  }
  std::string word(const char* name, const char* otherwise = "") const {
    const auto at = node_.attributes.find(name);
    return at == node_.attributes.end() ? otherwise : at->second.text;
  }
  std::vector<int64_t> integers(const char* name, std::vector<int64_t> otherwise = {}) const {
    const auto at = node_.attributes.find(name);
    return at == node_.attributes.end() ? otherwise : at->second.integers;
  }
  std::vector<double> reals(const char* name) const {
    const auto at = node_.attributes.find(name);
    return at == node_.attributes.end() ? std::vector<double>{} : at->second.numbers;
  }
  std::string words(const char* name, int i, const char* otherwise) const {
    const auto at = node_.attributes.find(name);
    if (at == node_.attributes.end()) return otherwise;
    std::string rest = at->second.text;  // joined by '\n'
    for (; i > 0; --i) rest = rest.substr(rest.find('\n') + 1);
    return rest.substr(0, rest.find('\n'));
  }
  const Value& constant(const char* name) const { return node_.attributes.at(name).value; }

  /// Appends a result.
  template <class X>
  void out(const X& x) {
    Value v;
    v.tensor = AnyTensor(x);
    v.present = true;
    outputs.push_back(v);
  }
  void out_small(const Tensor<uint8_t>& bits, const std::string& type) {
    out(bits);
    outputs.back().small = type;
  }
  void skip() { outputs.emplace_back(); }

  [[noreturn]] void reject(int i) const {
    const Value& v = value(i);
    throw NotExpressible(node_.op + " of " +
                         (v.small.empty() ? weft::name(v.tensor.dtype()) : v.small));
  }
  [[noreturn]] void reject(const std::string& what) const {
    throw NotExpressible(node_.op + " " + what);
  }

  std::vector<Value> outputs;

 private:
  const Node& node_;
  std::vector<Value> inputs_;
};

using Operator = void (*)(Call&);
using Table = std::map<std::string, Operator>;

/// An operator of one operand, f(tensor), for the types Ts.
template <class... Ts, class F>
Operator unary(F) {
  return [](Call& c) { c.visit<Ts...>(0, [&](const auto& x) { c.out(F{}(x)); }); };
}
/// An operator of two operands of one type.
template <class... Ts, class F>
Operator binary(F) {
  return [](Call& c) {
    c.visit<Ts...>(0, [&](const auto& x) {
      using T = typename std::remove_cvref_t<decltype(x)>::value_type;
      c.out(F{}(x, c.get<T>(1)));
    });
  };
}

template <class T>
using element_t = typename std::remove_cvref_t<T>::value_type;

inline Shape to_shape(const std::vector<int64_t>& sizes) {
  Shape out;
  for (int64_t x : sizes) out.push_back(x);
  return out;
}
inline weft::Axes to_axes(const std::vector<int64_t>& axes) {
  weft::Axes out;
  for (int64_t x : axes) out.push_back(x);
  return out;
}
inline int64_t from_front(int64_t axis, int rank) { return axis < 0 ? axis + rank : axis; }

/// All operators of the files that are linked.
inline Table& operators() {
  static Table table;
  return table;
}
/// A file's operators, added before main.
struct Group {
  explicit Group(void (*add)(Table&)) { add(operators()); }
};

}  // namespace conformance
