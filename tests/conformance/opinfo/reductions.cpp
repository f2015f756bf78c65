// PyTorch's reductions and scans.
// SPDX-License-Identifier: Apache-2.0
#include "../sample.hpp"
#include "weft/linalg.hpp"
#include "weft/statistics.hpp"

namespace conformance {

namespace {

template <class F>
Run reduction(F) {
  return [](Sample& s) {
    s.over(
        [](Sample& u, const auto& x) {
          const auto axes = axes_of(u, x.rank());
          u.out(kept(u, F{}(x, axes), axes));
        },
        "input");
  };
}
template <class F>
Run plain_reduction(F) {
  return [](Sample& s) {
    const Double x = s.tensor("input");
    const auto axes = axes_of(s, x.rank());
    s.out(kept(s, F{}(x, axes).eval(), axes));
  };
}

template <class F>
Run scan(F) {
  return [](Sample& s) {
    s.over([](Sample& u, const auto& x) { u.out(F{}(x, axis(u.integer("dim")))); }, "input");
  };
}

/// PyTorch's ways to give the divisor of var and std.
weft::Correction divisor_of(const Sample& s) {
  const double given = s.number("correction", 1);
  if (given != std::floor(given)) s.reject("a divisor less by a fraction");
  auto less = static_cast<int64_t>(given);
  if (s.has_option("unbiased")) less = s.flag("unbiased") ? 1 : 0;
  return weft::correction(less);
}
template <class F>
Run moment(F) {
  return [](Sample& s) {
    s.over(
        [](Sample& u, const auto& x) {
          const auto axes = axes_of(u, x.rank());
          u.out(kept(u, F{}(x, axes, divisor_of(u)), axes));
        },
        "input");
  };
}
template <class F>
Run moment_and_mean(F) {
  return [](Sample& s) {
    s.over(
        [](Sample& u, const auto& x) {
          const auto axes = axes_of(u, x.rank());
          u.out(kept(u, F{}(x, axes, divisor_of(u)), axes));
          u.out(kept(u, mean(x, axes, keepdims), axes));
        },
        "input");
  };
}

/// {values, indices} along an axis.
template <class F>
Run ranked(F) {
  return [](Sample& s) {
    s.over(
        [](Sample& u, const auto& x) {
          const auto along = axis(u.integer("dim", -1));
          const auto [values, indices] = F{}(u, x, along);
          const auto rest = x.rank() == 0 ? weft::Axes{} : along;
          u.out(kept(u, values, rest));
          u.out(kept(u, indices, rest));
        },
        "input");
  };
}

weft::Quantile way(const std::string& word) {
  if (word == "lower") return weft::Quantile::lower;
  if (word == "higher") return weft::Quantile::higher;
  if (word == "midpoint") return weft::Quantile::midpoint;
  if (word == "nearest") return weft::Quantile::nearest;
  return weft::Quantile::linear;
}

}  // namespace

static const Group group([](Runs& t) {
  t["sum"] = reduction([](const auto& x, const weft::Axes& a) { return sum(x, a, keepdims); });
  t["mean"] = reduction([](const auto& x, const weft::Axes& a) { return mean(x, a, keepdims); });
  t["prod"] = reduction([](const auto& x, const weft::Axes& a) { return prod(x, a, keepdims); });
  t["amax"] = reduction([](const auto& x, const weft::Axes& a) { return max(x, a, keepdims); });
  t["amin"] = reduction([](const auto& x, const weft::Axes& a) { return min(x, a, keepdims); });
  t["logsumexp"] =
      reduction([](const auto& x, const weft::Axes& a) { return logsumexp(x, a, keepdims); });
  t["nansum"] =
      reduction([](const auto& x, const weft::Axes& a) { return nansum(x, a, keepdims); });
  t["nanmean"] =
      reduction([](const auto& x, const weft::Axes& a) { return nanmean(x, a, keepdims); });
  t["all"] =
      plain_reduction([](const auto& x, const weft::Axes& a) { return all(x, a, keepdims); });
  t["any"] =
      plain_reduction([](const auto& x, const weft::Axes& a) { return any(x, a, keepdims); });
  t["count_nonzero"] = plain_reduction(
      [](const auto& x, const weft::Axes& a) { return count_nonzero(x, a, keepdims); });
  t["argmax"] =
      plain_reduction([](const auto& x, const weft::Axes& a) { return argmax(x, a, keepdims); });
  t["argmin"] =
      plain_reduction([](const auto& x, const weft::Axes& a) { return argmin(x, a, keepdims); });
  t["max.reduction_no_dim"] = unary([](const auto& x) { return max(x); });
  t["min.reduction_no_dim"] = unary([](const auto& x) { return min(x); });
  t["aminmax"] = with([](Sample& s, const auto& x) {
    const auto axes = axes_of(s, x.rank());
    s.out(kept(s, min(x, axes, keepdims), axes));
    s.out(kept(s, max(x, axes, keepdims), axes));
  });
  t["var"] = t["var.unbiased"] = moment([](const auto& x, const weft::Axes& a, weft::Correction c) {
    return var(x, a, keepdims, c);
  });
  t["std"] = t["std.unbiased"] = moment([](const auto& x, const weft::Axes& a, weft::Correction c) {
    return stddev(x, a, keepdims, c);
  });
  t["var_mean"] = moment_and_mean([](const auto& x, const weft::Axes& a, weft::Correction c) {
    return var(x, a, keepdims, c);
  });
  t["std_mean"] = moment_and_mean([](const auto& x, const weft::Axes& a, weft::Correction c) {
    return stddev(x, a, keepdims, c);
  });
  t["linalg.vector_norm"] = with([](Sample& s, const auto& x) {
    const auto axes = axes_of(s, x.rank());
    s.out(kept(s, weft::vector_norm(x, s.number("ord", 2), axes, keepdims), axes));
  });
  t["max.reduction_with_dim"] = ranked([](Sample&, const auto& x, const weft::Axes& a) {
    return std::pair(max(x, a, keepdims).eval(), Ints(argmax(x, a, keepdims)));
  });
  t["min.reduction_with_dim"] = ranked([](Sample&, const auto& x, const weft::Axes& a) {
    return std::pair(min(x, a, keepdims).eval(), Ints(argmin(x, a, keepdims)));
  });
  t["kthvalue"] = ranked([](Sample& s, const auto& x, const weft::Axes& a) {
    const auto [values, indices] = weft::kthvalue(x, s.integer("k"), a, keepdims);
    return std::pair(values.eval(), Ints(indices));
  });
  t["median"] = with([](Sample& s, const auto& x) {
    if (!s.given("dim")) return s.out(weft::median(x));
    const auto along = axis(s.integer("dim"));
    const auto [values, indices] = weft::median(x, along, keepdims);
    const auto rest = x.rank() == 0 ? weft::Axes{} : along;
    s.out(kept(s, values, rest));
    s.out(kept(s, indices, rest));
  });
  t["quantile"] = t["nanquantile"] = with([](Sample& s, const auto& x) {
    const auto how = way(s.word("interpolation", "linear"));
    const bool skips = s.name() == "nanquantile";
    if (s.is_tensor("q") && s.shape("q").rank() > 0)
      s.reject("several quantiles at once with gradients");
    const double q = s.number("q", 0);
    if (!s.given("dim")) {
      if (s.flag("keepdim")) s.reject("keepdim without dim");
      return skips ? s.out(weft::nanquantile(x, q, how)) : s.out(weft::quantile(x, q, how));
    }
    const auto along = axis(s.integer("dim"));
    const auto rest = x.rank() == 0 ? weft::Axes{} : along;
    skips ? s.out(kept(s, weft::nanquantile(x, q, along, keepdims, how), rest))
          : s.out(kept(s, weft::quantile(x, q, along, keepdims, how), rest));
  });
  t["cumsum"] = scan([](const auto& x, const weft::Axes& a) { return cumsum(x, a); });
  t["cumprod"] = scan([](const auto& x, const weft::Axes& a) { return cumprod(x, a); });
  t["logcumsumexp"] = scan([](const auto& x, const weft::Axes& a) { return logcumsumexp(x, a); });
  t["diff"] = with([](Sample& s, const auto& x) {
    if (s.given("prepend") || s.given("append"))
      s.reject("differences with elements before and behind");
    s.out(weft::diff(x, s.integer("n", 1), axis(s.integer("dim", -1))));
  });
  t["trapezoid"] = with([](Sample& s, const auto& x) {
    const auto along = axis(s.integer("dim", -1));
    if (!s.is_tensor("x")) return s.out(weft::trapezoid(x, s.number("dx", 1), along));
    s.over([&](Sample& u, const auto& y, const auto& at) { u.out(weft::trapezoid(y, at, along)); },
           "input", "x");
  });
  t["cumulative_trapezoid"] = with([](Sample& s, const auto& x) {
    const auto along = axis(s.integer("dim", -1));
    if (!s.is_tensor("x")) return s.out(weft::cumulative_trapezoid(x, s.number("dx", 1), along));
    s.over([&](Sample& u, const auto& y,
               const auto& at) { u.out(weft::cumulative_trapezoid(y, at, along)); },
           "input", "x");
  });
});

}  // namespace conformance
