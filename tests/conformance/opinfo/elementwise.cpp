// PyTorch's functions of one operand.
// SPDX-License-Identifier: Apache-2.0
#include "../sample.hpp"
#include "weft/special.hpp"

namespace conformance {

static const Group group([](Runs& t) {
  t["abs"] = unary([](const auto& x) { return abs(x); });
  t["acos"] = unary([](const auto& x) { return acos(x); });
  t["acosh"] = unary([](const auto& x) { return acosh(x); });
  t["asin"] = unary([](const auto& x) { return asin(x); });
  t["asinh"] = unary([](const auto& x) { return asinh(x); });
  t["atan"] = unary([](const auto& x) { return atan(x); });
  t["atanh"] = unary([](const auto& x) { return atanh(x); });
  t["ceil"] = unary([](const auto& x) { return ceil(x); });
  t["cos"] = unary([](const auto& x) { return cos(x); });
  t["cosh"] = unary([](const auto& x) { return cosh(x); });
  t["deg2rad"] = unary([](const auto& x) { return deg2rad(x); });
  t["digamma"] = unary([](const auto& x) { return digamma(x); });
  t["erf"] = unary([](const auto& x) { return erf(x); });
  t["erfc"] = unary([](const auto& x) { return erfc(x); });
  t["erfinv"] = unary([](const auto& x) { return weft::erfinv(x); });
  t["exp"] = unary([](const auto& x) { return exp(x); });
  t["exp2"] = unary([](const auto& x) { return exp2(x); });
  t["expm1"] = unary([](const auto& x) { return expm1(x); });
  t["floor"] = unary([](const auto& x) { return floor(x); });
  t["frac"] = unary([](const auto& x) { return frac(x); });
  t["lgamma"] = unary([](const auto& x) { return lgamma(x); });
  t["log"] = unary([](const auto& x) { return log(x); });
  t["log10"] = unary([](const auto& x) { return log10(x); });
  t["log1p"] = unary([](const auto& x) { return log1p(x); });
  t["log2"] = unary([](const auto& x) { return log2(x); });
  t["neg"] = unary([](const auto& x) { return -x; });
  t["positive"] = unary([](const auto& x) { return x; });
  t["clone"] = unary([](const auto& x) { return x.clone(); });
  t["contiguous"] = unary([](const auto& x) { return x.contiguous(); });
  t["rad2deg"] = unary([](const auto& x) { return rad2deg(x); });
  t["reciprocal"] = unary([](const auto& x) { return reciprocal(x); });
  t["round"] = unary([](const auto& x) { return round(x); });
  t["rsqrt"] = unary([](const auto& x) { return rsqrt(x); });
  t["sigmoid"] = unary([](const auto& x) { return sigmoid(x); });
  t["sign"] = unary([](const auto& x) { return sign(x); });
  t["sgn"] = t["sign"];
  t["sin"] = unary([](const auto& x) { return sin(x); });
  t["sinh"] = unary([](const auto& x) { return sinh(x); });
  t["sinc"] = unary([](const auto& x) { return sinc(x); });
  t["sqrt"] = unary([](const auto& x) { return sqrt(x); });
  t["square"] = unary([](const auto& x) { return square(x); });
  t["tan"] = unary([](const auto& x) { return tan(x); });
  t["tanh"] = unary([](const auto& x) { return tanh(x); });
  t["trunc"] = unary([](const auto& x) { return trunc(x); });
  t["isfinite"] = plain([](const auto& x) { return isfinite(x); });
  t["isinf"] = plain([](const auto& x) { return isinf(x); });
  t["isnan"] = plain([](const auto& x) { return isnan(x); });
  t["isposinf"] = plain([](const auto& x) { return isposinf(x); });
  t["isneginf"] = plain([](const auto& x) { return isneginf(x); });
  t["signbit"] = plain([](const auto& x) { return weft::signbit(x); });
  t["logit"] = with([](Sample& s, const auto& x) {
    if (!s.given("eps")) return s.out(logit(x));
    const double e = s.number("eps", 0);
    s.out(logit(where(x < e, e, where(x > 1 - e, 1 - e, x))));
  });
  t["nan_to_num"] = with([](Sample& s, const auto& x) {
    constexpr double most = 1.7976931348623157e308;
    s.out(nan_to_num(x, s.number("nan", 0), s.number("posinf", most), s.number("neginf", -most)));
  });
  const auto rounded = with([](Sample& s, const auto& x) {
    s.out(weft::round(x, static_cast<int>(s.integer("decimals"))));
  });
  t["round.decimals_0"] = t["round.decimals_3"] = t["round.decimals_neg_3"] = rounded;
});

}  // namespace conformance
