// PyTorch's special functions.
// SPDX-License-Identifier: Apache-2.0
#include "weft/special.hpp"

#include "../sample.hpp"

namespace conformance {

static const Group group([](Runs& t) {
  t["i0"] = unary([](const auto& x) { return i0(x); });
  t["special.i0e"] = unary([](const auto& x) { return i0e(x); });
  t["special.i1"] = unary([](const auto& x) { return i1(x); });
  t["special.i1e"] = unary([](const auto& x) { return i1e(x); });
  t["special.ndtr"] = unary([](const auto& x) { return ndtr(x); });
  t["special.ndtri"] = unary([](const auto& x) { return ndtri(x); });
  t["special.log_ndtr"] = unary([](const auto& x) { return log_ndtr(x); });
  t["special.erfcx"] = unary([](const auto& x) { return erfcx(x); });
  t["special.entr"] = unary([](const auto& x) { return entr(x); });
  t["special.bessel_j0"] = unary([](const auto& x) { return weft::j0(x); });
  t["special.bessel_j1"] = unary([](const auto& x) { return weft::j1(x); });
  t["special.bessel_y0"] = unary([](const auto& x) { return weft::y0(x); });
  t["special.bessel_y1"] = unary([](const auto& x) { return weft::y1(x); });
  t["special.modified_bessel_i0"] = unary([](const auto& x) { return i0(x); });
  t["special.modified_bessel_i1"] = unary([](const auto& x) { return i1(x); });
  t["special.modified_bessel_k0"] = unary([](const auto& x) { return weft::k0(x); });
  t["special.modified_bessel_k1"] = unary([](const auto& x) { return weft::k1(x); });
  t["special.scaled_modified_bessel_k0"] = unary([](const auto& x) { return weft::k0e(x); });
  t["special.scaled_modified_bessel_k1"] = unary([](const auto& x) { return weft::k1e(x); });
  t["special.xlog1py"] = binary([](const auto& x, const auto& y) { return xlog1py(x, y); });
  t["special.zeta"] = plain2([](const auto& x, const auto& y) { return zeta(x, y); });
  t["igamma"] = plain2([](const auto& x, const auto& y) { return gammainc(x, y); });
  t["igammac"] = plain2([](const auto& x, const auto& y) { return gammaincc(x, y); });
  t["logaddexp"] = binary([](const auto& x, const auto& y) { return logaddexp(x, y); });
  t["logaddexp2"] = binary([](const auto& x, const auto& y) { return logaddexp2(x, y); });
  t["heaviside"] = plain2([](const auto& x, const auto& y) { return heaviside(x, y); });
  t["nextafter"] = plain2([](const auto& x, const auto& y) { return nextafter(x, y); });
  t["div.floor_rounding"] = binary([](const auto& x, const auto& y) { return floor_divide(x, y); });
  t["div.trunc_rounding"] = binary([](const auto& x, const auto& y) { return trunc_divide(x, y); });
  t["floor_divide"] = plain2([](const auto& x, const auto& y) { return floor_divide(x, y); });
  t["addcdiv"] = [](Sample& s) {
    s.over([](Sample& u, const auto& x, const auto& y,
              const auto& z) { u.out(addcdiv(x, y, z, u.number("value", 1))); },
           "input", "tensor1", "tensor2");
  };
});

}  // namespace conformance
