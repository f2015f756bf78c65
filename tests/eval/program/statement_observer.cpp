// SPDX-License-Identifier: Apache-2.0
#include <weft/eval/program/statement_observer.hpp>

#include <string>
#include <vector>

#include <weft/autograd.hpp>

#include "test.hpp"

using namespace weft;

namespace {
std::vector<std::string> seen;
double zero() { return 0; }
void note(const char* operation, const Shape* shape, double) noexcept {
  Text text = operation;
  if (shape != nullptr) text += weft::detail::join({" ", *shape});
  seen.push_back(text);
}
constexpr weft::detail::StatementObserver observer{zero, note};

struct Observed {
  Observed() {
    seen.clear();
    weft::detail::observe_statements(&observer);
  }
  ~Observed() { weft::detail::observe_statements(nullptr); }
};
}  // namespace

TEST_CASE("an observer sees statements of each kind, and nothing once it is removed") {
  const Tensor x = ones({2, 3});
  Tensor y = x;
  {
    const Observed scope;
    y = x + 1.0F;  // into new storage
    y = y * 2.0F;  // into its own
    y += x;        // in place
    const Tensor s = sum(x, axis(0));
    const auto [a, b] = fuse(x + y, x - y);
    const Tensor p = matmul(x, x.t());
  }
  y = x - 1.0F;
  CHECK((seen == std::vector<std::string>{"add (2, 3)", "mul (2, 3)", "assign (2, 3)", "sum (3,)",
                                          "fuse (2, 3)", "matmul (2, 2)"}));
}

TEST_CASE("backward passes are seen with their statement's name") {
  const Var v = parameter(ones({3}));
  {
    const Observed scope;
    const Var y = sum(tanh(v));
    y.backward();
  }
  int found = 0;
  for (const std::string& each : seen) found += each == "backward of sum(tanh(float))";
  CHECK(found == 1);
}
