// NumPy's tables of elementary functions: umath TABLE.csv ..., a line for each table.
// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <map>
#include <sstream>

#include "weft/weft.hpp"

namespace {

using weft::Tensor;

/// How many numbers of type T lie between two; NaN is as far from numbers as can be.
template <class T, class Bits>
double places_apart(T x, T y) {
  if (std::isnan(x) || std::isnan(y)) return std::isnan(x) && std::isnan(y) ? 0 : HUGE_VAL;
  const auto ordered = [](T value) {
    Bits bits;
    std::memcpy(&bits, &value, sizeof bits);
    constexpr Bits sign = Bits(1) << (8 * sizeof(Bits) - 1);
    return (bits & sign) != 0 ? -static_cast<long double>(bits & ~sign)
                              : static_cast<long double>(bits);
  };
  return static_cast<double>(std::fabs(ordered(x) - ordered(y)));
}

template <class T>
Tensor<T> applied(const std::string& name, const Tensor<T>& x) {
  if (name == "arccos") return acos(x);
  if (name == "arccosh") return acosh(x);
  if (name == "arcsin") return asin(x);
  if (name == "arcsinh") return asinh(x);
  if (name == "arctan") return atan(x);
  if (name == "arctanh") return atanh(x);
  if (name == "cbrt") return cbrt(x);
  if (name == "cos") return cos(x);
  if (name == "cosh") return cosh(x);
  if (name == "exp") return exp(x);
  if (name == "exp2") return exp2(x);
  if (name == "expm1") return expm1(x);
  if (name == "log") return log(x);
  if (name == "log10") return log10(x);
  if (name == "log1p") return log1p(x);
  if (name == "log2") return log2(x);
  if (name == "sin") return sin(x);
  if (name == "sinh") return sinh(x);
  if (name == "tan") return tan(x);
  if (name == "tanh") return tanh(x);
  return {};
}

template <class T>
struct Rows {
  std::vector<T> inputs;
  std::vector<T> outputs;
  std::vector<int> bounds;
};

template <class T, class Bits>
void add(Rows<T>& rows, const std::string& in, const std::string& out, int bound) {
  const auto number = [](const std::string& hex) {
    const auto bits = static_cast<Bits>(std::stoull(hex, nullptr, 16));
    T x;
    std::memcpy(&x, &bits, sizeof x);
    return x;
  };
  rows.inputs.push_back(number(in));
  rows.outputs.push_back(number(out));
  rows.bounds.push_back(bound);
}

template <class T, class Bits>
void check(const std::string& name, const char* type, const Rows<T>& rows) {
  if (rows.inputs.empty()) return;
  const Tensor<T> y = applied(name, Tensor<T>(weft::tensor(rows.inputs)));
  if (y.size() == 0) {
    std::printf("%s %s\tnot expressible\tno such function\n", name.c_str(), type);
    return;
  }
  const auto got = y.to_vector();
  double worst = 0;
  int wrong = 0;
  std::string why;
  for (std::size_t i = 0; i < got.size(); ++i) {
    const double distance = places_apart<T, Bits>(got[i], rows.outputs[i]);
    worst = std::max(worst, distance);
    if (distance > rows.bounds[i] && wrong++ == 0) {
      char line[200];
      std::snprintf(line, sizeof line, "%s(%a) is %a, expected %a within %d, ", name.c_str(),
                    static_cast<double>(rows.inputs[i]), static_cast<double>(got[i]),
                    static_cast<double>(rows.outputs[i]), rows.bounds[i]);
      why = line;
    }
  }
  std::printf("%s %s\t%s\t%s%zu rows, %d over their bound, worst %g places\n", name.c_str(), type,
              wrong == 0 ? "passed" : "failed", why.c_str(), got.size(), wrong, worst);
}

}  // namespace

int main(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    const std::string path = argv[i];
    const std::size_t dash = path.rfind('-') + 1;
    const std::string name = path.substr(dash, path.rfind('.') - dash);
    Rows<float> floats;
    Rows<double> doubles;
    std::ifstream file(path);
    std::string line;
    while (std::getline(file, line)) {
      std::istringstream in(line);
      std::string type, input, output, bound;
      std::getline(in, type, ',');
      std::getline(in, input, ',');
      std::getline(in, output, ',');
      std::getline(in, bound, ',');
      if (type == "np.float32") {
        add<float, std::uint32_t>(floats, input, output, std::stoi(bound));
      } else if (type == "np.float64") {
        add<double, std::uint64_t>(doubles, input, output, std::stoi(bound));
      }
    }
    check<float, std::uint32_t>(name, "float32", floats);
    check<double, std::uint64_t>(name, "float64", doubles);
  }
  return 0;
}
