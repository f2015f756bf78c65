// PyTorch's further losses and layers.
// SPDX-License-Identifier: Apache-2.0
#include "../sample.hpp"

namespace conformance {

namespace {

template <class F>
void reduced(Sample& s, F f) {
  if (s.given("size_average") || s.given("reduce")) s.reject("arguments that PyTorch deprecates");
  const std::string how = s.word("reduction", "mean");
  if (how == "none") return f(weft::nn::reduce::None{});
  if (how == "sum") return f(weft::nn::reduce::Sum{});
  f(weft::nn::reduce::Mean{});
}

/// A loss of an input and a target.
template <class F>
Run of_two(F) {
  return [](Sample& s) {
    s.over([](Sample& u, const auto& x,
              const auto& y) { reduced(u, [&](auto how) { u.out(F{}(u, x, y, how)); }); },
           "input", "target");
  };
}
/// A loss of two inputs and a target that has no gradient.
template <class F>
Run of_pair(F) {
  return [](Sample& s) {
    if (s.wants("target")) s.reject("gradients of targets");
    const Double y = s.tensor("target");
    s.over([&](Sample& u, const auto& a,
               const auto& b) { reduced(u, [&](auto how) { u.out(F{}(u, a, b, y, how)); }); },
           "input", "input2");
  };
}
/// A loss of an input and labels.
template <class F>
Run of_labels(F) {
  return [](Sample& s) {
    s.over(
        [](Sample& u, const auto& x) {
          reduced(u, [&](auto how) { u.out(F{}(u, x, u.ints("target"), how)); });
        },
        "input");
  };
}

weft::PerAxis pair(const Sample& s, const char* key, int64_t otherwise) {
  const auto given = s.integers(key, {otherwise});
  return given.size() == 1 ? weft::PerAxis{given[0]} : weft::PerAxis{given.at(0), given.at(1)};
}

template <int Axes>
void adaptive(Sample& s) {
  if (s.flag("return_indices")) s.reject("positions of the largest elements of parts");
  const auto given = s.integers("output_size", {1});
  const auto size = given.size() == 1   ? weft::PerAxis{given[0]}
                    : given.size() == 2 ? weft::PerAxis{given[0], given[1]}
                                        : weft::PerAxis{given.at(0), given.at(1), given.at(2)};
  s.over(
      [&](Sample& u, const auto& x) {
        if constexpr (Axes == 1) u.out(weft::adaptive_max_pool1d(x, size));
        if constexpr (Axes == 2) u.out(weft::adaptive_max_pool2d(x, size));
        if constexpr (Axes == 3) u.out(weft::adaptive_max_pool3d(x, size));
      },
      "input");
}

}  // namespace

static const Group group([](Runs& t) {
  t["nn.functional.gaussian_nll_loss"] = [](Sample& s) {
    if (!(s.shape("input") == s.shape("target"))) s.reject("targets that broadcast");
    s.over(
        [](Sample& u, const auto& x, const auto& y, const auto& v) {
          reduced(u, [&](auto how) {
            u.out(weft::nn::gaussian_nll_loss(
                x, y, v, {.full = u.flag("full"), .epsilon = u.number("eps", 1e-6)}, how));
          });
        },
        "input", "target", "var");
  };
  t["nn.functional.binary_cross_entropy"] =
      of_two([](Sample& s, const auto& x, const auto& y, auto how) {
        if (s.given("weight")) s.reject("weights of elements");
        return weft::nn::binary_cross_entropy(x, y, how);
      });
  t["nn.functional.hinge_embedding_loss"] =
      of_two([](Sample& s, const auto& x, const auto& y, auto how) {
        return weft::nn::hinge_embedding_loss(x, y, how, s.number("margin", 1));
      });
  t["nn.functional.multilabel_soft_margin_loss"] =
      of_two([](Sample& s, const auto& x, const auto& y, auto how) {
        if (s.given("weight")) {
          return weft::Var<double>(
              weft::nn::multilabel_soft_margin_loss(x, y, s.tensor("weight"), how));
        }
        return weft::Var<double>(weft::nn::multilabel_soft_margin_loss(x, y, how));
      });
  t["nn.functional.margin_ranking_loss"] =
      of_pair([](Sample& s, const auto& a, const auto& b, const auto& y, auto how) {
        return weft::nn::margin_ranking_loss(a, b, y, how, s.number("margin", 0));
      });
  t["nn.functional.cosine_embedding_loss"] =
      of_pair([](Sample& s, const auto& a, const auto& b, const auto& y, auto how) {
        return weft::nn::cosine_embedding_loss(a, b, y, how, s.number("margin", 0));
      });
  t["nn.functional.multilabel_margin_loss"] =
      of_labels([](Sample& s, const auto& x, const auto& y, auto how) {
        if (x.rank() == 0) s.reject("a number as a row of classes");
        return weft::nn::multilabel_margin_loss(x, y, how);
      });
  t["nn.functional.triplet_margin_loss"] = [](Sample& s) {
    s.over(
        [](Sample& u, const auto& a, const auto& p, const auto& n) {
          reduced(u, [&](auto how) {
            u.out(weft::nn::triplet_margin_loss(a, p, n,
                                                {.margin = u.number("margin", 1),
                                                 .p = u.number("p", 2),
                                                 .epsilon = u.number("eps", 1e-6),
                                                 .swap = u.flag("swap")},
                                                how));
          });
        },
        "input", "positive", "negative");
  };
  t["nn.functional.pairwise_distance"] = [](Sample& s) {
    if (s.flag("keepdim")) s.reject("distances whose axis is kept");
    if (!(s.number("p", 2) > 0)) s.reject("norms of another order");
    s.over(
        [](Sample& u, const auto& x, const auto& y) {
          u.out(weft::nn::pairwise_distance(x, y, u.number("p", 2), u.number("eps", 1e-6)));
        },
        "input", "x2");
  };
  t["nn.functional.bilinear"] = [](Sample& s) {
    weft::nn::Bilinear<Cpu, double> layer;
    layer.weight = s.var("weight");
    if (s.given("bias")) layer.bias = s.var("bias");
    s.out(layer(s.var("input"), s.var("other")));
  };
  t["nn.functional.embedding"] = [](Sample& s) {
    if (s.has_option("max_norm")) s.reject("rows that are renormed as they are read");
    if (s.has_option("padding_idx") || s.flag("scale_grad_by_freq")) {
      s.reject("gradients of rows by their labels");
    }
    s.over([](Sample& u, const auto& table) { u.out(take(table, u.ints("input"), axis(0))); },
           "weight");
  };
  t["nn.functional.unfold"] = with([](Sample& s, const auto& x) {
    weft::UnfoldOptions o;
    o.stride = pair(s, "stride", 1);
    o.padding = pair(s, "padding", 0);
    o.dilation = pair(s, "dilation", 1);
    if (x.rank() == 4) return s.out(weft::unfold(x, pair(s, "kernel_size", 1), o));
    s.out(weft::unfold(x.unsqueeze(0), pair(s, "kernel_size", 1), o).eval().squeeze(0));
  });
  t["nn.functional.adaptive_max_pool1d"] = adaptive<1>;
  t["nn.functional.adaptive_max_pool2d"] = adaptive<2>;
  t["nn.functional.adaptive_max_pool3d"] = adaptive<3>;
});

}  // namespace conformance
