// Reading cases, and comparing results with what is expected.
// SPDX-License-Identifier: Apache-2.0
#include "small_types.hpp"

#include <cmath>
#include <cstring>
#include <fstream>
#include <sstream>

namespace conformance {

namespace {

class Reader {
 public:
  explicit Reader(const std::string& path) : in_(path, std::ios::binary) {
    if (!in_) throw std::runtime_error("cannot read " + path);
  }

  int64_t integer() {
    int64_t x = 0;
    bytes(&x, sizeof x);
    return x;
  }
  double number() {
    double x = 0;
    bytes(&x, sizeof x);
    return x;
  }
  std::string string() {
    std::string s(static_cast<std::size_t>(integer()), '\0');
    bytes(s.data(), s.size());
    return s;
  }
  Value value() {
    Value out;
    out.present = true;
    const std::string type = string();
    weft::Dtype dtype = weft::Dtype::uint8;
    bool known = false;
    for (int i = 0; i < weft::detail::count(weft::detail::ElementTypes{}); ++i) {
      if (type == weft::name(static_cast<weft::Dtype>(i))) {
        dtype = static_cast<weft::Dtype>(i);
        known = true;
      }
    }
    if (!known) out.small = type;
    Shape shape;
    const int64_t rank = integer();
    for (int64_t i = 0; i < rank; ++i) shape.push_back(integer());
    out.tensor = AnyTensor::empty(dtype, shape);
    bytes(out.tensor.data(), static_cast<std::size_t>(out.tensor.bytes()));
    return out;
  }
  Attribute attribute() {
    Attribute a;
    a.kind = string()[0];
    switch (a.kind) {
      case 's':
        a.text = string();
        break;
      case 'T':
        a.value = value();
        break;
      case 'f':
      case 'F':
        a.numbers.resize(static_cast<std::size_t>(integer()));
        for (double& x : a.numbers) x = number();
        break;
      default:
        a.integers.resize(static_cast<std::size_t>(integer()));
        for (int64_t& x : a.integers) x = integer();
    }
    return a;
  }
  std::vector<std::string> strings() {
    std::vector<std::string> out(static_cast<std::size_t>(integer()));
    for (std::string& s : out) s = string();
    return out;
  }

 private:
  void bytes(void* to, std::size_t count) {
    in_.read(static_cast<char*>(to), static_cast<std::streamsize>(count));
    if (!in_) throw std::runtime_error("the file of cases ends early");
  }

  std::ifstream in_;
};

template <class... Ts>
std::vector<double> numbers_of(const AnyTensor& x, weft::detail::TypeList<Ts...>) {
  std::vector<double> out;
  const auto fill = [&]<class T>(const T* from) {
    for (int64_t i = 0; i < x.size(); ++i) {
      if constexpr (weft::is_complex<T>) {
        out.push_back(static_cast<double>(from[i].re));
        out.push_back(static_cast<double>(from[i].im));
      } else {
        out.push_back(static_cast<double>(weft::load_element(from[i])));
      }
    }
  };
  (void)((x.dtype() == weft::dtype_of<Ts> ? (fill(static_cast<const Ts*>(x.data())), true)
                                          : false) ||
         ...);
  return out;
}

}  // namespace

std::vector<double> numbers(const Value& x) {
  if (!x.small.empty()) return numbers_of(decoded(x), weft::detail::ElementTypes{});
  return numbers_of(x.tensor.contiguous(), weft::detail::ElementTypes{});
}

std::vector<Case> read_cases(const std::string& path) {
  Reader in(path);
  if (in.string() != "weft cases 1") throw std::runtime_error(path + " holds no cases");
  std::vector<Case> cases(static_cast<std::size_t>(in.integer()));
  for (Case& c : cases) {
    c.name = in.string();
    c.rtol = in.number();
    c.atol = in.number();
    c.random = in.integer() != 0;
    c.nodes.resize(static_cast<std::size_t>(in.integer()));
    for (Node& node : c.nodes) {
      node.op = in.string();
      node.version = in.integer();
      const int64_t count = in.integer();
      for (int64_t i = 0; i < count; ++i) {
        const std::string name = in.string();
        node.attributes[name] = in.attribute();
      }
      node.inputs = in.strings();
      node.outputs = in.strings();
    }
    int64_t count = in.integer();
    for (int64_t i = 0; i < count; ++i) {
      const std::string name = in.string();
      c.values[name] = in.value();
    }
    count = in.integer();
    for (int64_t i = 0; i < count; ++i) {
      const std::string name = in.string();
      c.expected.emplace_back(name, in.value());
    }
  }
  return cases;
}

std::string compare(const Value& got, const Value& expected, double rtol, double atol,
                    bool random) {
  std::ostringstream out;
  const auto type = [](const Value& x) {
    return x.small.empty() ? std::string(weft::name(x.tensor.dtype())) : x.small;
  };
  if (!got.present) return "no such output";
  if (type(got) != type(expected)) return "type " + type(got) + ", expected " + type(expected);
  if (!(got.tensor.shape() == expected.tensor.shape())) {
    return std::string("shape ") + text(got.tensor.shape()).c_str() + ", expected " +
           text(expected.tensor.shape()).c_str();
  }
  if (random) return "";
  const std::vector<double> a = numbers(got);
  const std::vector<double> b = numbers(expected);
  int wrong = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const bool same = a[i] == b[i] || (std::isnan(a[i]) && std::isnan(b[i])) ||
                      std::fabs(a[i] - b[i]) <= atol + rtol * std::fabs(b[i]);
    if (!same || std::isinf(a[i]) != std::isinf(b[i])) {
      if (wrong++ == 0) {
        out.precision(9);
        out << "element " << i << " is " << a[i] << ", expected " << b[i];
      }
    }
  }
  if (wrong > 0) out << " (" << wrong << " of " << a.size() << " differ)";
  return out.str();
}

}  // namespace conformance
