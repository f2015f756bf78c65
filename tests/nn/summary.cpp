#include "weft/nn/summary.hpp"

#include <string>

#include "gradients.hpp"
#include "weft/nn/layers/linear.hpp"

using namespace weft;

namespace {
template <class D>
struct Net {
  nn::Linear<D> fc1, fc2;
  std::vector<nn::Linear<D>> more;
  auto fields() { return nn::fields("fc1", fc1, "fc2", fc2, "more", more); }
  Var<float, D> operator()(const Var<float, D>& x) const { return fc2(relu(fc1(x))); }
};
bool has(const std::string& text, const char* part) { return text.find(part) != std::string::npos; }
}  // namespace

TEST_CASE_TEMPLATE("a summary names modules, parameters, shapes and the time", D, TEST_DEVICES) {
  const Net<D> net{{4, 8}, {8, 2}, {{1, 1}}};
  const Tensor<float, D> x = ones({5, 4}, D{});
  const std::string text = nn::summary(net, x);
  CAPTURE(text);
  CHECK(has(text, "net       Net     60\n"));
  CHECK(has(text, "  fc1     Linear  40\n"));
  CHECK(has(text, "  more.0  Linear  2\n"));
  CHECK(has(text, "parameters: 60\n(5, 4) -> (5, 2) in "));
  const nn::Sequential steps{nn::Linear<D>(4, 3), nn::ReLU{}, nn::Flatten{0}};
  const std::string table = nn::summary(steps, x);
  CAPTURE(table);
  CHECK(has(table, "0       Linear   15          (5, 3)"));
  CHECK(has(table, "1       ReLU     0           (5, 3)"));
  CHECK(has(table, "2       Flatten  0           (15,)"));
}
