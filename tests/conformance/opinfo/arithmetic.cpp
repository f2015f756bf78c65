// PyTorch's functions of two and three operands.
// SPDX-License-Identifier: Apache-2.0
#include "../sample.hpp"

namespace conformance {

static const Group group([](Runs& t) {
  t["add"] = [](Sample& s) {
    s.over([](Sample& u, const auto& x, const auto& y) { u.out(x + u.number("alpha", 1) * y); },
           "input", "other");
  };
  t["sub"] = [](Sample& s) {
    s.over([](Sample& u, const auto& x, const auto& y) { u.out(x - u.number("alpha", 1) * y); },
           "input", "other");
  };
  t["rsub"] = [](Sample& s) {
    s.over([](Sample& u, const auto& x, const auto& y) { u.out(y - u.number("alpha", 1) * x); },
           "input", "other");
  };
  t["__radd__"] = binary([](const auto& x, const auto& y) { return y + x; });
  t["__rsub__"] = binary([](const auto& x, const auto& y) { return y - x; });
  t["mul"] = t["__rmul__"] = binary([](const auto& x, const auto& y) { return x * y; });
  t["true_divide"] = t["div.no_rounding_mode"] =
      binary([](const auto& x, const auto& y) { return x / y; });
  t["atan2"] = binary([](const auto& x, const auto& y) { return atan2(x, y); });
  t["hypot"] = binary([](const auto& x, const auto& y) { return hypot(x, y); });
  t["maximum"] = t["max.binary"] =
      binary([](const auto& x, const auto& y) { return maximum(x, y); });
  t["minimum"] = t["min.binary"] =
      binary([](const auto& x, const auto& y) { return minimum(x, y); });
  t["fmax"] = binary([](const auto& x, const auto& y) { return fmax(x, y); });
  t["fmin"] = binary([](const auto& x, const auto& y) { return fmin(x, y); });
  t["clamp_min"] = binary([](const auto& x, const auto& y) { return clamp_min(x, y); });
  t["clamp_max"] = binary([](const auto& x, const auto& y) { return clamp_max(x, y); });
  t["fmod"] = binary([](const auto& x, const auto& y) { return fmod(x, y); });
  t["remainder"] = binary([](const auto& x, const auto& y) { return remainder(x, y); });
  t["xlogy"] = binary([](const auto& x, const auto& y) { return xlogy(x, y); });
  t["copysign"] = binary([](const auto& x, const auto& y) { return copysign(x, y); });
  t["pow"] = binary([](const auto& x, const auto& y) { return pow(x, y); });
  t["eq"] = plain2([](const auto& x, const auto& y) { return x == y; });
  t["ne"] = plain2([](const auto& x, const auto& y) { return x != y; });
  t["lt"] = plain2([](const auto& x, const auto& y) { return x < y; });
  t["le"] = plain2([](const auto& x, const auto& y) { return x <= y; });
  t["gt"] = plain2([](const auto& x, const auto& y) { return x > y; });
  t["ge"] = plain2([](const auto& x, const auto& y) { return x >= y; });
  t["logical_and"] = plain2([](const auto& x, const auto& y) { return x != 0 && y != 0; });
  t["logical_or"] = plain2([](const auto& x, const auto& y) { return x != 0 || y != 0; });
  t["logical_xor"] = plain2([](const auto& x, const auto& y) { return (x != 0) != (y != 0); });
  t["equal"] = [](Sample& s) {
    s.out(s.shape("input") == s.shape("other") && equal(s.tensor("input"), s.tensor("other")));
  };
  t["isclose"] = [](Sample& s) {
    if (s.flag("equal_nan")) s.reject("an argument equal_nan");
    s.out(isclose(s.tensor("input"), s.tensor("other"),
                  {.rtol = s.number("rtol", 1e-5), .atol = s.number("atol", 1e-8)}));
  };
  t["allclose"] = [](Sample& s) {
    if (s.flag("equal_nan")) s.reject("an argument equal_nan");
    s.out(allclose(s.tensor("input"), s.tensor("other"),
                   {.rtol = s.number("rtol", 1e-5), .atol = s.number("atol", 1e-8)}));
  };
  t["addcmul"] = [](Sample& s) {
    s.over([](Sample& u, const auto& x, const auto& y,
              const auto& z) { u.out(addcmul(x, y, z, u.number("value", 1))); },
           "input", "tensor1", "tensor2");
  };
  t["lerp"] = [](Sample& s) {
    s.over([](Sample& u, const auto& x, const auto& y, const auto& w) { u.out(lerp(x, y, w)); },
           "input", "end", "weight");
  };
  t["clamp"] = [](Sample& s) {
    if (s.given("min") && s.given("max")) {
      s.over([](Sample& u, const auto& x, const auto& a, const auto& b) { u.out(clamp(x, a, b)); },
             "input", "min", "max");
    } else if (s.given("min")) {
      s.over([](Sample& u, const auto& x, const auto& a) { u.out(clamp_min(x, a)); }, "input",
             "min");
    } else {
      s.over([](Sample& u, const auto& x, const auto& b) { u.out(clamp_max(x, b)); }, "input",
             "max");
    }
  };
  t["where"] = [](Sample& s) {
    s.over(
        [](Sample& u, const auto& x, const auto& y) { u.out(where(u.flags("condition"), x, y)); },
        "input", "other");
  };
  t["masked_fill"] = [](Sample& s) {
    s.over([](Sample& u, const auto& x, const auto& v) { u.out(where(u.flags("mask"), v, x)); },
           "input", "value");
  };
});

}  // namespace conformance
