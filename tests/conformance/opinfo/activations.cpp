// PyTorch's activation functions and softmaxes.
// SPDX-License-Identifier: Apache-2.0
#include "../sample.hpp"

namespace conformance {

static const Group group([](Runs& t) {
  t["nn.functional.relu"] = unary([](const auto& x) { return relu(x); });
  t["nn.functional.relu6"] = unary([](const auto& x) { return relu6(x); });
  t["nn.functional.silu"] = unary([](const auto& x) { return silu(x); });
  t["nn.functional.mish"] = unary([](const auto& x) { return mish(x); });
  t["nn.functional.softsign"] = unary([](const auto& x) { return softsign(x); });
  t["nn.functional.tanhshrink"] = unary([](const auto& x) { return tanhshrink(x); });
  t["nn.functional.logsigmoid"] = unary([](const auto& x) { return logsigmoid(x); });
  t["nn.functional.hardswish"] = unary([](const auto& x) { return hardswish(x); });
  t["nn.functional.hardsigmoid"] = unary([](const auto& x) { return hardsigmoid(x); });
  t["nn.functional.selu"] = unary([](const auto& x) { return selu(x); });
  t["nn.functional.elu"] =
      with([](Sample& s, const auto& x) { s.out(elu(x, s.number("alpha", 1))); });
  t["nn.functional.celu"] =
      with([](Sample& s, const auto& x) { s.out(celu(x, s.number("alpha", 1))); });
  t["nn.functional.leaky_relu"] =
      with([](Sample& s, const auto& x) { s.out(leaky_relu(x, s.number("negative_slope", .01))); });
  t["nn.functional.softplus"] = with([](Sample& s, const auto& x) {
    s.out(softplus(x, s.number("beta", 1), s.number("threshold", 20)));
  });
  t["nn.functional.hardtanh"] = with([](Sample& s, const auto& x) {
    s.out(hardtanh(x, s.number("min_val", -1), s.number("max_val", 1)));
  });
  t["nn.functional.hardshrink"] =
      with([](Sample& s, const auto& x) { s.out(hardshrink(x, s.number("lambd", .5))); });
  t["nn.functional.softshrink"] =
      with([](Sample& s, const auto& x) { s.out(softshrink(x, s.number("lambd", .5))); });
  t["nn.functional.threshold"] = with([](Sample& s, const auto& x) {
    s.out(threshold(x, s.number("threshold", 0), s.number("value", 0)));
  });
  t["nn.functional.gelu"] = with([](Sample& s, const auto& x) {
    s.word("approximate") == "tanh" ? s.out(gelu_tanh(x)) : s.out(gelu(x));
  });
  t["nn.functional.glu"] =
      with([](Sample& s, const auto& x) { s.out(glu(x, s.integer("dim", -1))); });
  t["nn.functional.prelu"] = [](Sample& s) {
    s.over([](Sample& u, const auto& x, const auto& w) { u.out(prelu(x, w)); }, "input", "weight");
  };
  t["softmax"] = with([](Sample& s, const auto& x) { s.out(softmax(x, axis(s.integer("dim")))); });
  t["log_softmax"] =
      with([](Sample& s, const auto& x) { s.out(log_softmax(x, axis(s.integer("dim")))); });
  t["nn.functional.softmin"] =
      with([](Sample& s, const auto& x) { s.out(softmin(x, axis(s.integer("dim")))); });
  t["nn.functional.normalize"] = with([](Sample& s, const auto& x) {
    if (s.number("p", 2) != 2) s.reject("norms of another order");
    s.out(normalize(x, axis(s.integer("dim", 1)), s.number("eps", 1e-12)));
  });
  t["nn.functional.cosine_similarity"] = [](Sample& s) {
    s.over(
        [](Sample& u, const auto& x, const auto& y) {
          u.out(cosine_similarity(x, y, axis(u.integer("dim", 1)), u.number("eps", 1e-8)));
        },
        "input", "other");
  };
  t["nn.functional.layer_norm"] = with([](Sample& s, const auto& x) {
    const auto axes = [&] {
      weft::Axes out;
      const int n = static_cast<int>(s.integers("normalized_shape").size());
      for (int i = 0; i < n; ++i) out.push_back(x.rank() - n + i);
      return out;
    }();
    const double epsilon = s.number("eps", 1e-5);
    if (!s.given("weight")) return s.out(standardize(x, axes, epsilon));
    s.over(
        [&](Sample& u, const auto& y, const auto& w, const auto& b) {
          if (axes.rank() == 1) return u.out(layer_norm(y, w, b, epsilon));
          u.out(standardize(y, axes, epsilon) * w + b);
        },
        "input", "weight", "bias");
  });
  t["nn.functional.rms_norm"] = with([](Sample& s, const auto& x) {
    weft::Axes axes;
    const int n = static_cast<int>(s.integers("normalized_shape").size());
    for (int i = 0; i < n; ++i) axes.push_back(x.rank() - n + i);
    const double epsilon = s.number("eps", 2.220446049250313e-16);
    if (!s.given("weight")) return s.out(x * rsqrt(mean(square(x), axes, keepdims) + epsilon));
    s.over(
        [&](Sample& u, const auto& y, const auto& w) {
          if (axes.rank() == 1) return u.out(rms_norm(y, w, epsilon));
          u.out(y * rsqrt(mean(square(y), axes, keepdims) + epsilon) * w);
        },
        "input", "weight");
  });
});

}  // namespace conformance
