// What else there is of PyTorch: factorisations, attention, windows of images, functions of lists.
// SPDX-License-Identifier: Apache-2.0
#include "../sample.hpp"
#include "weft/attention.hpp"
#include "weft/linalg.hpp"
#include "weft/statistics.hpp"

namespace conformance {

namespace {

template <class F>
Run running(F) {
  return [](Sample& s) {
    s.over(
        [](Sample& u, const auto& x) {
          const auto found = F{}(x, axis(u.integer("dim")));
          u.out(found.values);
          u.out(found.indices);
        },
        "input");
  };
}

template <class X>
void chained(Sample& s, const std::vector<X>& m) {
  if (m.size() == 2) return s.out(weft::multi_dot(m[0], m[1]));
  if (m.size() == 3) return s.out(weft::multi_dot(m[0], m[1], m[2]));
  if (m.size() == 4) return s.out(weft::multi_dot(m[0], m[1], m[2], m[3]));
  s.reject("more operands");
}

template <class X>
void grid(Sample& s, const std::vector<X>& m) {
  const auto order = s.word("indexing", "ij") == "xy" ? weft::Meshgrid::xy : weft::Meshgrid::ij;
  if (m.size() != 2) s.reject("another number of operands");
  const auto [a, b] = weft::meshgrid(order, m[0], m[1]);
  s.out(a.eval());
  s.out(b.eval());
}

template <class X>
void einstein(Sample& s, const std::vector<X>& m) {
  std::string formula;
  for (char letter : s.word("equation")) {
    if (letter != ' ') formula += letter;
  }
  if (m.size() == 1) return s.out(einsum(formula.c_str(), m[0]));
  if (m.size() == 2) return s.out(einsum(formula.c_str(), m[0], m[1]));
  s.reject("products of three");
}

}  // namespace

static const Group group([](Runs& t) {
  t["atleast_1d"] = with([](Sample& s, const auto& x) {
    if (s.given("input.0")) s.reject("lists of operands");
    s.out(weft::atleast_1d(x));
  });
  t["atleast_2d"] = with([](Sample& s, const auto& x) {
    if (s.given("input.0")) s.reject("lists of operands");
    s.out(weft::atleast_2d(x));
  });
  t["atleast_3d"] = with([](Sample& s, const auto& x) {
    if (s.given("input.0")) s.reject("lists of operands");
    s.out(weft::atleast_3d(x));
  });
  t["cummax"] =
      running([](const auto& x, const weft::Axes& a) { return weft::cummax_with_indices(x, a); });
  t["cummin"] =
      running([](const auto& x, const weft::Axes& a) { return weft::cummin_with_indices(x, a); });
  t["linalg.multi_dot"] = [](Sample& s) {
    s.wants_gradients() ? chained(s, s.list<Var<double>>("input"))
                        : chained(s, s.list<Double>("input"));
  };
  t["meshgrid.list_of_tensors"] = [](Sample& s) {
    s.wants_gradients() ? grid(s, s.list<Var<double>>("input")) : grid(s, s.list<Double>("input"));
  };
  t["einsum"] = [](Sample& s) {
    s.wants_gradients() ? einstein(s, s.list<Var<double>>("input"))
                        : einstein(s, s.list<Double>("input"));
  };
  t["linalg.qr"] = with([](Sample& s, const auto& x) {
    const std::string mode = s.word("mode", "reduced");
    if (mode == "r") s.reject("qr without q");
    const auto [q, r] =
        weft::qr(x, mode == "complete" ? weft::Factors::full : weft::Factors::reduced);
    s.out(q);
    s.out(r);
  });
  t["nn.functional.scaled_dot_product_attention"] = [](Sample& s) {
    if (s.number("dropout_p", 0) != 0) s.reject("random values");
    if (s.wants("attn_mask")) s.reject("gradients of masks");
    weft::AttentionOptions<double, Cpu> o;
    o.causal = s.flag("is_causal");
    o.enable_gqa = s.flag("enable_gqa");
    if (s.given("scale")) o.scale = s.number("scale", 1);
    if (s.given("attn_mask")) {
      if (s.value("attn_mask").tensor.dtype() == weft::Dtype::boolean) {
        o.mask = s.flags("attn_mask");
      } else {
        o.mask = s.tensor("attn_mask");
      }
    }
    s.over(
        [&](Sample& u, const auto& q, const auto& k, const auto& v) {
          if (q.rank() == k.rank() && q.rank() == 4) {
            return u.out(scaled_dot_product_attention(q, k, v, o));
          }
          if (q.rank() != 3 || k.rank() != 3) u.reject("heads that broadcast");
          u.out(scaled_dot_product_attention(q.unsqueeze(0), k.unsqueeze(0), v.unsqueeze(0), o)
                    .eval()
                    .squeeze(0));
        },
        "input", "key", "value");
  };
  t["slice_scatter"] = [](Sample& s) {
    s.over(
        [](Sample& u, const auto& x, const auto& y) {
          const int64_t a = u.integer("dim");
          const int64_t size = x.shape()[static_cast<int>(a < 0 ? a + x.rank() : a)];
          const int64_t end = std::min(u.integer("end", size), size);
          u.out(weft::slice_scatter(x, y, axis(a),
                                    weft::slice(u.integer("start"), end, u.integer("step", 1))));
        },
        "input", "src");
  };
  t["nn.functional.binary_cross_entropy_with_logits"] = [](Sample& s) {
    if (s.given("weight") || s.given("pos_weight")) s.reject("weights of elements");
    s.over(
        [](Sample& u, const auto& x, const auto& y) {
          const std::string how = u.word("reduction", "mean");
          if (how == "none") {
            u.out(weft::nn::binary_cross_entropy_with_logits(x, y, weft::nn::reduce::none));
          } else if (how == "sum") {
            u.out(weft::nn::binary_cross_entropy_with_logits(x, y, weft::nn::reduce::sum));
          } else {
            u.out(weft::nn::binary_cross_entropy_with_logits(x, y));
          }
        },
        "input", "target");
  };
});

}  // namespace conformance
