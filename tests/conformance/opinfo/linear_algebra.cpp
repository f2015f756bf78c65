// PyTorch's matrix products and linear algebra.
// SPDX-License-Identifier: Apache-2.0
#include "../sample.hpp"
#include "weft/linalg.hpp"

namespace conformance {

namespace {

/// beta x + alpha f(a, b).
template <class F>
Run added(F) {
  return [](Sample& s) {
    s.over(
        [](Sample& u, const auto& x, const auto& a, const auto& b) {
          const double beta = u.number("beta", 1);
          // PyTorch leaves x out where beta is 0, NaN and all.
          const auto product = u.number("alpha", 1) * F{}(a, b);
          beta == 0 ? u.out(product) : u.out(beta * x + product);
        },
        "input", "mat1", "mat2");
  };
}

}  // namespace

static const Group group([](Runs& t) {
  t["mm"] = t["bmm"] = t["mv"] = t["matmul"] =
      binary([](const auto& x, const auto& y) { return matmul(x, y); });
  t["__rmatmul__"] = binary([](const auto& x, const auto& y) { return matmul(y, x); });
  t["dot"] = binary([](const auto& x, const auto& y) { return dot(x, y); });
  t["outer"] = binary([](const auto& x, const auto& y) { return outer(x, y); });
  t["kron"] = binary([](const auto& x, const auto& y) { return weft::kron(x, y); });
  t["addmm"] = t["baddbmm"] = t["addmv"] =
      added([](const auto& a, const auto& b) { return matmul(a, b); });
  t["addr"] = added([](const auto& a, const auto& b) { return outer(a, b); });
  t["tensordot"] = [](Sample& s) {
    s.over([](Sample& u, const auto& x,
              const auto& y) { u.out(tensordot(x, y, static_cast<int>(u.integer("dims", 2)))); },
           "input", "other");
  };
  t["linalg.det"] = unary([](const auto& x) { return weft::det(x); });
  t["linalg.inv"] = unary([](const auto& x) { return weft::inv(x); });
  t["linalg.svdvals"] = unary([](const auto& x) { return weft::svdvals(x); });
  t["linalg.pinv"] = unary([](const auto& x) { return weft::pinv(x); });
  t["matrix_exp"] = unary([](const auto& x) { return weft::matrix_exp(x); });
  t["trace"] = unary([](const auto& x) { return weft::trace(x); });
  t["linalg.slogdet"] = with([](Sample& s, const auto& x) {
    const auto [sign, logarithm] = weft::slogdet(x);
    s.out(sign);
    s.out(logarithm);
  });
  t["logdet"] = with([](Sample& s, const auto& x) {
    const auto [sign, logarithm] = weft::slogdet(x);
    s.out(where(sign < 0, weft::full_like(sign, NAN), logarithm));
  });
  t["linalg.solve"] = [](Sample& s) {
    if (!s.flag("left", true)) s.reject("systems from the right");
    s.over(
        [](Sample& u, const auto& a, const auto& b) {
          // A batch of vectors is one where b has an axis less than A and the batch's shape.
          if (b.rank() + 1 == a.rank() && b.rank() > 1) {
            return u.out(weft::solve(a, b.unsqueeze(-1)).eval().squeeze(-1));
          }
          u.out(weft::solve(a, b));
        },
        "input", "other");
  };
  t["linalg.cholesky"] = with([](Sample& s, const auto& x) {
    if (s.flag("upper")) return s.out(weft::cholesky(x).eval().transpose(-1, -2));
    s.out(weft::cholesky(x));
  });
  t["linalg.matrix_power"] =
      with([](Sample& s, const auto& x) { s.out(weft::matrix_power(x, s.integer("n"))); });
  t["linalg.cross"] = t["cross"] = [](Sample& s) {
    s.over(
        [](Sample& u, const auto& x, const auto& y) {
          // torch.cross without dim goes along the first axis of 3.
          int64_t first = -1;
          for (int i = x.rank() - 1; i >= 0 && u.name() == "cross"; --i) {
            if (x.shape()[i] == 3) first = i;
          }
          u.out(weft::cross(x, y, u.integer("dim", first)));
        },
        "input", "other");
  };
  t["linalg.vander"] =
      with([](Sample& s, const auto& x) { s.out(weft::vander(x, s.integer("N", -1))); });
});

}  // namespace conformance
