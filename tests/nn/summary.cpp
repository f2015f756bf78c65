#include "weft/nn/summary.hpp"

#include <string>

#include "gradients.hpp"
#include "images.hpp"
#include "weft/nn/layers/batch_norm.hpp"
#include "weft/nn/layers/conv.hpp"
#include "weft/nn/layers/linear.hpp"
#include "weft/nn/layers/pool.hpp"
#include "weft/nn/recurrent/recurrent.hpp"

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
  for (const char* const line :
       {"  fc1     Linear  40          (5, 8)  ", "  fc2     Linear  18          (5, 2)  "}) {
    CAPTURE(line);
    const auto at = text.find(line);
    REQUIRE(at != std::string::npos);
    const std::string time = text.substr(at + std::string(line).size(), 20);
    CHECK(std::stod(time) > 0);
    CHECK(has(time, " ms\n"));
  }
  CHECK(has(text, "  more.0  Linear  2\n"));
  CHECK(has(text, "parameters: 60\n(5, 4) -> (5, 2) in "));
  CHECK(nn::detail::watcher() == nullptr);
}

TEST_CASE_TEMPLATE("a summary of what is in a Sequential, and of layers for images", D,
                   TEST_DEVICES) {
  const nn::Sequential steps{nn::Linear<D>(4, 3), nn::ReLU{}, nn::Flatten{0}};
  const std::string table = nn::summary(steps, ones({5, 4}, D{}));
  CAPTURE(table);
  CHECK(has(table, "  0     Linear      15          (5, 3)"));
  CHECK(has(table, "  1     ReLU        0           (5, 3)"));
  CHECK(has(table, "  2     Flatten     0           (15,)"));
  const nn::Sequential images{nn::Conv2d<D>(3, 4, 3), nn::BatchNorm2d<D>(4), nn::ReLU{},
                              nn::MaxPool2d{2}};
  const std::string more = nn::summary(images, ones({2, 3, 8, 8}, D{}));
  CAPTURE(more);
  CHECK(has(more, "(2, 4, 6, 6)"));
  CHECK(has(more, "(2, 4, 3, 3)"));
}

namespace {
/// Its first layer has its address.
template <class D>
struct Images {
  nn::Conv2d<D> conv;
  std::optional<nn::BatchNorm2d<D>> norm;
  nn::LSTM<D> lstm;
  auto fields() { return nn::fields("conv", conv, "norm", norm, "lstm", lstm); }
  Var<float, D> operator()(const Var<float, D>& x) const {
    return lstm(norm->relu(conv(x)).reshape({x.size(0), -1, 6})).output;
  }
};
}  // namespace

TEST_CASE_TEMPLATE("layers that derive from the one called are found, modules around them are not",
                   D, TEST_DEVICES) {
  const Images<D> net{{3, 4, 3}, nn::BatchNorm2d<D>(4), {6, 3, {.batch_first = true}}};
  const std::string text = nn::summary(net, ones({2, 3, 8, 8}, D{}));
  CAPTURE(text);
  CHECK(has(text, "net     Images       252\n"));
  CHECK(has(text, "  conv  Conv2d       112         (2, 4, 6, 6)  "));
  CHECK(has(text, "  norm  BatchNorm2d  8           (2, 4, 6, 6)  "));
  CHECK(has(text, "  lstm  LSTM         132         (2, 24, 3)    "));
}
