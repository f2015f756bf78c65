// Runs cases of ONNX's backend tests: onnx FILE, a line for each: its name, what came of it, why.
// SPDX-License-Identifier: Apache-2.0
#include <cstdio>

#include "call.hpp"

namespace conformance {

namespace {

std::string run(Case& c, const Table& table) {
  for (const Node& node : c.nodes) {
    if (table.find(node.op) == table.end()) throw NotExpressible("operator " + node.op);
  }
  for (const Node& node : c.nodes) {
    std::vector<Value> inputs;
    for (const std::string& name : node.inputs) inputs.push_back(c.values[name]);
    Call call(node, std::move(inputs));
    table.at(node.op)(call);
    for (std::size_t i = 0; i < node.outputs.size() && i < call.outputs.size(); ++i) {
      if (!node.outputs[i].empty()) c.values[node.outputs[i]] = call.outputs[i];
    }
  }
  for (const auto& [name, expected] : c.expected) {
    const std::string wrong = compare(c.values[name], expected, c.rtol, c.atol, c.random);
    if (!wrong.empty()) return name + ": " + wrong;
  }
  return "";
}

}  // namespace

}  // namespace conformance

int main(int argc, char** argv) {
  using namespace conformance;
  const Table& table = operators();
  for (int i = 1; i < argc; ++i) {
    for (Case& c : read_cases(argv[i])) {
      const char* result = "passed";
      std::string why;
      try {
        why = run(c, table);
        if (!why.empty()) result = "failed";
      } catch (const NotExpressible& e) {
        result = "not expressible";
        why = e.what();
      } catch (const std::exception& e) {
        result = "failed";
        why = e.what();
      }
      for (char& letter : why) letter = letter == '\n' || letter == '\t' ? ' ' : letter;
      std::printf("%s\t%s\t%s\n", c.name.c_str(), result, why.c_str());
    }
  }
  return 0;
}
