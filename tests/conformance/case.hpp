// Cases of other libraries' test suites: graphs of named operators, their inputs and what they
// give. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "weft/tensor/any_tensor.hpp"
#include "weft/weft.hpp"

namespace conformance {

using weft::AnyTensor;
using weft::Shape;
using weft::Tensor;

/// Thrown for what weft, or this program, has no spelling of.
struct NotExpressible : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// A tensor, or nothing where an optional input was left out. Types that weft's tensors do not
/// have, as float8, are held as a byte an element, with their name.
struct Value {
  AnyTensor tensor;
  std::string small;
  bool present = false;
};

/// An operator's attribute: one of these, by its kind ('i', 'f', 's', 'I', 'F', 'T').
struct Attribute {
  char kind = 'i';
  std::vector<int64_t> integers;
  std::vector<double> numbers;
  std::string text;
  Value value;
};

struct Node {
  std::string op;
  int64_t version = 0;  ///< of the operator set
  std::map<std::string, Attribute> attributes;
  std::vector<std::string> inputs;
  std::vector<std::string> outputs;
};

struct Case {
  std::string name;
  double rtol = 0;
  double atol = 0;
  bool random = false;  ///< only shapes and types are compared
  std::vector<Node> nodes;
  std::map<std::string, Value> values;  ///< inputs and constants by name
  std::vector<std::pair<std::string, Value>> expected;
};

/// All cases of a file that conformance.py wrote.
std::vector<Case> read_cases(const std::string& path);

/// What is wrong with a result, or an empty string.
std::string compare(const Value& got, const Value& expected, double rtol, double atol, bool random);

/// The elements as doubles.
std::vector<double> numbers(const Value& x);

}  // namespace conformance
