// One sample of PyTorch's OpInfo: its operands as tensors or, for gradients, as Vars, in any
// layout. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <optional>

#include "case.hpp"
#include "weft/arrays.hpp"
#include "weft/nn.hpp"

namespace conformance {

using weft::axis;
using weft::Cpu;
using weft::keepdims;
using weft::Var;
using Double = Tensor<double>;
using Ints = Tensor<int64_t>;
using Flags = Tensor<bool>;

inline weft::Axes to_axes(const std::vector<int64_t>& axes) {
  weft::Axes out;
  for (int64_t x : axes) out.push_back(x);
  return out;
}
inline Shape to_shape(const std::vector<int64_t>& sizes) {
  Shape out;
  for (int64_t x : sizes) out.push_back(x);
  return out;
}

/// How an operand's elements lie in memory.
enum class Placing { contiguous, transposed, stepped, reversed };
inline constexpr Placing placings[] = {Placing::contiguous, Placing::transposed, Placing::stepped,
                                       Placing::reversed};
inline const char* name(Placing placing) {
  constexpr const char* names[] = {"contiguous", "transposed", "stepped", "reversed"};
  return names[static_cast<int>(placing)];
}

/// A copy of x that lies so; vectors and numbers cannot be transposed and are stepped instead.
template <class T>
Tensor<T> placed(const Tensor<T>& x, Placing placing) {
  if (placing == Placing::contiguous) return x.clone();
  if (placing == Placing::reversed) return weft::flip(weft::flip(x).clone());
  if (placing == Placing::transposed && x.rank() > 1) {
    Shape axes;
    for (int i = x.rank(); i-- > 0;) axes.push_back(i);
    return x.permute(axes).clone().permute(axes);
  }
  Shape wider = x.shape();
  wider.push_back(3);
  const Tensor<T> all = weft::full<T>(wider, T(77));  // which no result may contain
  const Tensor<T> every_third = all.narrow(-1, 1, 1).squeeze(-1);
  every_third.assign(x);
  return every_third;
}

class Sample {
 public:
  Sample(Case& c, Placing placing) : case_(c), node_(c.nodes.at(0)), placing_(placing) {}

  const std::string& name() const { return node_.op; }
  /// Whether an operand or an option was given.
  bool given(const std::string& key) const { return is_tensor(key) || node_.attributes.count(key); }
  bool is_tensor(const std::string& key) const { return case_.values.count(key) != 0; }
  const Value& value(const std::string& key) const {
    const auto at = case_.values.find(key);
    if (at == case_.values.end()) throw std::runtime_error("no tensor " + key);
    return at->second;
  }
  const Shape& shape(const std::string& key) const { return value(key).tensor.shape(); }

  /// An operand: a number is a tensor of rank 0.
  Double tensor(const std::string& key) const {
    if (!is_tensor(key)) return weft::full<double>(Shape{}, number(key, 0));
    if (value(key).tensor.dtype() != weft::Dtype::float64) {
      throw NotExpressible("operands of several element types");
    }
    return placed(value(key).tensor.get<double>(), placing_);
  }
  Ints ints(const std::string& key) const { return placed(plain_ints(key), placing_); }
  Flags flags(const std::string& key) const {
    return placed(value(key).tensor.get<bool>(), placing_);
  }
  Ints plain_ints(const std::string& key) const {
    switch (value(key).tensor.dtype()) {
      case weft::Dtype::int64:
        return value(key).tensor.get<int64_t>();
      case weft::Dtype::int32:
        return weft::cast<int64_t>(value(key).tensor.get<int32_t>());
      case weft::Dtype::uint8:
        return weft::cast<int64_t>(value(key).tensor.get<std::uint8_t>());
      default:
        throw NotExpressible("indices of this type");
    }
  }
  /// The same as what gradients may go to, where the sample asks for them.
  Var<double> var(const std::string& key) {
    for (const auto& [name, leaf] : leaves_) {
      if (name == key) return leaf;
    }
    const Var<double> v(tensor(key), wants(key));
    leaves_.emplace_back(key, v);
    return v;
  }
  bool wants_gradients() const { return !node_.inputs.empty(); }
  bool wants(const std::string& key) const {
    for (const std::string& name : node_.inputs) {
      if (name == key) return true;
    }
    return false;
  }

  /// f(*this, operands...) with tensors or, where gradients are asked for, with Vars.
  template <class F, class... Keys>
  void over(F f, Keys... keys) {
    if (wants_gradients()) {
      f(*this, var(keys)...);
    } else {
      f(*this, tensor(keys)...);
    }
  }
  /// The tensors key.0, key.1, ..., or the one called key.
  template <class X>
  std::vector<X> list(const std::string& key) {
    std::vector<X> out;
    const auto push = [&](const std::string& one) {
      if constexpr (std::is_same_v<X, Double>) {
        out.push_back(tensor(one));
      } else {
        out.push_back(var(one));
      }
    };
    if (is_tensor(key)) push(key);
    for (int i = 0; is_tensor(key + "." + std::to_string(i)); ++i)
      push(key + "." + std::to_string(i));
    return out;
  }

  int64_t integer(const std::string& key, int64_t otherwise = 0) const {
    const auto at = node_.attributes.find(key);
    if (at == node_.attributes.end()) return otherwise;
    if (at->second.kind == 'f') return static_cast<int64_t>(at->second.numbers.at(0));
    return at->second.integers.at(0);
  }
  bool flag(const std::string& key, bool otherwise = false) const {
    return integer(key, otherwise) != 0;
  }
  double number(const std::string& key, double otherwise) const {
    const auto at = node_.attributes.find(key);
    if (at == node_.attributes.end()) {
      return is_tensor(key) ? numbers(value(key)).at(0) : otherwise;
    }
    return at->second.kind == 'f' ? at->second.numbers.at(0)
                                  : static_cast<double>(at->second.integers.at(0));
  }
  std::vector<int64_t> integers(const std::string& key, std::vector<int64_t> otherwise = {}) const {
    const auto at = node_.attributes.find(key);
    return at == node_.attributes.end() ? otherwise : at->second.integers;
  }
  bool has_option(const std::string& key) const { return node_.attributes.count(key) != 0; }
  std::string word(const std::string& key, const char* otherwise = "") const {
    const auto at = node_.attributes.find(key);
    return at == node_.attributes.end() ? otherwise : at->second.text;
  }

  /// Appends a result.
  template <class X>
  void out(const X& x) {
    if constexpr (weft::detail::has_var<X>) {
      const weft::Var v(x);
      add(AnyTensor(v.value()));
      if constexpr (std::is_same_v<typename X::value_type, double>) results_.push_back(v);
    } else {
      add(AnyTensor(x));
    }
  }
  void out(bool x) { add(AnyTensor(weft::full<bool>(Shape{}, x))); }

  /// What is wrong, or nothing.
  std::string check() {
    std::size_t i = 0;
    std::string wrong;
    for (const auto& [name, expected] : case_.expected) {
      if (name.rfind("grad ", 0) == 0) continue;
      if (i >= values_.size()) return name + " is missing";
      wrong = compare(values_[i++], expected, case_.rtol, case_.atol, false);
      if (!wrong.empty()) return name + ": " + wrong;
    }
    if (!wants_gradients()) return "";
    if (results_.empty()) return "no result has a gradient";
    Var<double> loss(weft::zeros<double>(Shape{}));
    for (const Var<double>& v : results_) {
      const Double weights = cos(weft::arange<double>(0, static_cast<double>(v.size()), 1, Cpu{}));
      loss = loss + sum(v * weights.reshape(v.shape()));
    }
    if (loss.requires_grad()) loss.backward();
    for (const auto& [name, expected] : case_.expected) {
      if (name.rfind("grad ", 0) != 0) continue;
      const Var<double> leaf = var(name.substr(5));
      Value got;
      got.present = true;
      got.tensor = leaf.has_grad() ? AnyTensor(leaf.grad().reshape(leaf.shape()))
                                   : AnyTensor(weft::zeros<double>(leaf.shape()));
      wrong = compare(got, expected, case_.rtol, case_.atol, false);
      if (!wrong.empty()) return name + ": " + wrong;
    }
    return "";
  }

  [[noreturn]] static void reject(const std::string& what) { throw NotExpressible(what); }

 private:
  void add(AnyTensor x) {
    Value v;
    v.tensor = std::move(x);
    v.present = true;
    values_.push_back(std::move(v));
  }

  Case& case_;
  const Node& node_;
  Placing placing_;
  std::vector<std::pair<std::string, Var<double>>> leaves_;
  std::vector<Value> values_;
  std::vector<Var<double>> results_;
};

using Run = void (*)(Sample&);
using Runs = std::map<std::string, Run>;

inline Runs& runs() {
  static Runs all;
  return all;
}
struct Group {
  explicit Group(void (*add)(Runs&)) { add(runs()); }
};

/// A function of one operand, with its gradient: f(x).
template <class F>
Run unary(F) {
  return [](Sample& s) { s.over([](Sample& t, const auto& x) { t.out(F{}(x)); }, "input"); };
}
template <class F>
Run binary(F) {
  return [](Sample& s) {
    s.over([](Sample& t, const auto& x, const auto& y) { t.out(F{}(x, y)); }, "input", "other");
  };
}
/// With options: f(sample, x) gives the results itself.
template <class F>
Run with(F) {
  return [](Sample& s) { s.over([](Sample& t, const auto& x) { F{}(t, x); }, "input"); };
}
/// Values alone.
template <class F>
Run plain(F) {
  return [](Sample& s) { s.out(F{}(s.tensor("input"))); };
}
template <class F>
Run plain2(F) {
  return [](Sample& s) { s.out(F{}(s.tensor("input"), s.tensor("other"))); };
}

/// The axes that a sample gives, all unless it does.
inline weft::Axes axes_of(const Sample& s, int rank, const char* key = "dim") {
  std::vector<int64_t> axes = s.integers(key);
  if (axes.empty()) {
    for (int i = 0; i < rank; ++i) axes.push_back(i);
  }
  return to_axes(axes);
}
/// A result with its reduced axes, or without them where the sample does not ask for these.
template <class Y>
auto kept(const Sample& s, const Y& y, const weft::Axes& axes) {
  const auto result = y.eval();
  if (s.flag("keepdim")) return result;
  Shape left;
  for (int i = 0; i < result.rank(); ++i) {
    bool reduced = false;
    for (int64_t a : axes) reduced |= (a < 0 ? a + result.rank() : a) == i;
    if (!reduced) left.push_back(result.shape()[i]);
  }
  return result.reshape(left);
}

}  // namespace conformance
