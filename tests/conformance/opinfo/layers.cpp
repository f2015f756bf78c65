// PyTorch's convolutions, pools, resampling and losses.
// SPDX-License-Identifier: Apache-2.0
#include "../sample.hpp"

namespace conformance {

namespace {

weft::PerAxis per_axis(const std::vector<int64_t>& x) {
  if (x.size() == 1) return {x[0]};
  if (x.size() == 2) return {x[0], x[1]};
  return {x.at(0), x.at(1), x.at(2)};
}
weft::PerAxis per_axis(const Sample& s, const char* key, int64_t otherwise) {
  const auto given = s.integers(key);
  return per_axis(given.empty() ? std::vector<int64_t>{otherwise} : given);
}

/// f(x, weight) and a bias, where there is one, along axis 1 or, of one image, 0.
template <class F>
void with_bias(Sample& s, int axes, F f) {
  const auto shape_of = [axes](int64_t n) {
    Shape out{n};
    for (int i = 0; i < axes; ++i) out.push_back(1);
    return out;
  };
  if (s.given("bias")) {
    s.over([&](Sample& u, const auto& x, const auto& w,
               const auto& b) { u.out(f(x, w) + b.reshape(shape_of(b.size()))); },
           "input", "weight", "bias");
  } else {
    s.over([&](Sample& u, const auto& x, const auto& w) { u.out(f(x, w)); }, "input", "weight");
  }
}

template <int Axes>
void convolve(Sample& s) {
  weft::ConvOptions o;
  o.stride = per_axis(s, "stride", 1);
  o.dilation = per_axis(s, "dilation", 1);
  o.groups = s.integer("groups", 1);
  const std::string word = s.has_option("padding") ? s.word("padding") : "";
  if (word == "same") {
    o.padding = weft::Padding::same;
  } else if (word != "valid") {
    o.padding = weft::Padding(per_axis(s, "padding", 0));
  }
  with_bias(s, Axes, [&](const auto& x, const auto& w) {
    if constexpr (Axes == 1) return weft::conv1d(x, w, o);
    if constexpr (Axes == 2) return weft::conv2d(x, w, o);
    if constexpr (Axes == 3) return weft::conv3d(x, w, o);
  });
}

template <int Axes>
void convolve_back(Sample& s) {
  weft::ConvTransposeOptions o;
  o.stride = per_axis(s, "stride", 1);
  o.padding = per_axis(s, "padding", 0);
  o.output_padding = per_axis(s, "output_padding", 0);
  o.dilation = per_axis(s, "dilation", 1);
  o.groups = s.integer("groups", 1);
  with_bias(s, Axes, [&](const auto& x, const auto& w) {
    if constexpr (Axes == 1) return weft::conv_transpose1d(x, w, o);
    if constexpr (Axes == 2) return weft::conv_transpose2d(x, w, o);
    if constexpr (Axes == 3) return weft::conv_transpose3d(x, w, o);
  });
}

template <int Axes>
void largest(Sample& s) {
  weft::MaxPoolOptions o;
  o.stride = per_axis(s, "stride", 0);
  o.padding = per_axis(s, "padding", 0);
  o.dilation = per_axis(s, "dilation", 1);
  o.ceil_mode = s.flag("ceil_mode");
  const auto kernel = per_axis(s, "kernel_size", 1);
  s.over(
      [&](Sample& u, const auto& x) {
        const auto finish = [&](const auto& pooled) {
          u.out(pooled.values);
          u.out(pooled.indices);
        };
        if constexpr (Axes == 1) finish(weft::max_pool1d_with_indices(x, kernel, o));
        if constexpr (Axes == 2) finish(weft::max_pool2d_with_indices(x, kernel, o));
        if constexpr (Axes == 3) finish(weft::max_pool3d_with_indices(x, kernel, o));
      },
      "input");
}

template <int Axes>
void average(Sample& s) {
  weft::AvgPoolOptions o;
  o.stride = per_axis(s, "stride", 0);
  o.padding = per_axis(s, "padding", 0);
  o.ceil_mode = s.flag("ceil_mode");
  o.count_include_pad = s.flag("count_include_pad", true);
  o.divisor = s.integer("divisor_override");
  const auto kernel = per_axis(s, "kernel_size", 1);
  s.over(
      [&](Sample& u, const auto& x) {
        if constexpr (Axes == 1) u.out(weft::avg_pool1d(x, kernel, o));
        if constexpr (Axes == 2) u.out(weft::avg_pool2d(x, kernel, o));
        if constexpr (Axes == 3) u.out(weft::avg_pool3d(x, kernel, o));
      },
      "input");
}

template <int Axes>
void adaptive(Sample& s) {
  const auto size = per_axis(s, "output_size", 0);
  s.over(
      [&](Sample& u, const auto& x) {
        if constexpr (Axes == 1) u.out(weft::adaptive_avg_pool1d(x, size));
        if constexpr (Axes == 2) u.out(weft::adaptive_avg_pool2d(x, size));
        if constexpr (Axes == 3) u.out(weft::adaptive_avg_pool3d(x, size));
      },
      "input");
}

void resampled(Sample& s) {
  weft::InterpolateOptions o;
  const std::string mode = s.word("mode", "nearest");
  if (mode == "nearest-exact" || mode == "area") s.reject("the mode " + mode);
  o.mode = mode == "nearest"   ? weft::Interpolation::nearest
           : mode == "bicubic" ? weft::Interpolation::cubic
                               : weft::Interpolation::linear;
  o.align_corners = s.flag("align_corners");
  if (s.given("size")) {
    o.size = per_axis(s.integers("size"));
  } else if (s.flag("recompute_scale_factor")) {
    std::vector<int64_t> size;
    for (int i = 2; i < s.shape("input").rank(); ++i) {
      size.push_back(static_cast<int64_t>(static_cast<double>(s.shape("input")[i]) *
                                          s.number("scale_factor", 1)));
    }
    o.size = per_axis(size);
  } else {
    o.scale = s.number("scale_factor", 1);
  }
  s.over([&](Sample& u, const auto& x) { u.out(weft::interpolate(x, o)); }, "input");
}

/// A loss with its reduction.
template <class F>
void reduced(Sample& s, F f) {
  const std::string how = s.word("reduction", "mean");
  if (how == "none") return f(weft::nn::reduce::None{});
  if (how == "sum") return f(weft::nn::reduce::Sum{});
  if (how == "batchmean") return f(weft::nn::reduce::BatchMean{});
  f(weft::nn::reduce::Mean{});
}

template <class F>
Run loss(F) {
  return [](Sample& s) {
    if (s.given("size_average") || s.given("reduce")) s.reject("arguments that PyTorch deprecates");
    s.over([](Sample& u, const auto& x,
              const auto& y) { reduced(u, [&](auto how) { u.out(F{}(u, x, y, how)); }); },
           "input", "target");
  };
}

}  // namespace

static const Group group([](Runs& t) {
  t["nn.functional.conv1d"] = convolve<1>;
  t["nn.functional.conv2d"] = convolve<2>;
  t["nn.functional.conv3d"] = convolve<3>;
  t["nn.functional.conv_transpose1d"] = convolve_back<1>;
  t["nn.functional.conv_transpose2d"] = convolve_back<2>;
  t["nn.functional.conv_transpose3d"] = convolve_back<3>;
  t["nn.functional.max_pool1d"] = largest<1>;
  t["nn.functional.max_pool2d"] = largest<2>;
  t["nn.functional.max_pool3d"] = largest<3>;
  t["nn.functional.avg_pool1d"] = average<1>;
  t["nn.functional.avg_pool2d"] = average<2>;
  t["nn.functional.avg_pool3d"] = average<3>;
  t["nn.functional.adaptive_avg_pool1d"] = adaptive<1>;
  t["nn.functional.adaptive_avg_pool2d"] = adaptive<2>;
  t["nn.functional.adaptive_avg_pool3d"] = adaptive<3>;
  t["nn.functional.interpolate.nearest"] = resampled;
  t["nn.functional.interpolate.linear"] = resampled;
  t["nn.functional.interpolate.bilinear"] = resampled;
  t["nn.functional.interpolate.trilinear"] = resampled;
  t["nn.functional.interpolate.bicubic"] = resampled;
  t["nn.functional.pixel_shuffle"] = with(
      [](Sample& s, const auto& x) { s.out(weft::pixel_shuffle(x, s.integer("upscale_factor"))); });
  t["nn.functional.pixel_unshuffle"] = with([](Sample& s, const auto& x) {
    s.out(weft::pixel_unshuffle(x, s.integer("downscale_factor")));
  });
  t["nn.functional.linear"] = [](Sample& s) {
    if (!s.given("bias")) {
      return s.over(
          [](Sample& u, const auto& x, const auto& w) {
            w.rank() == 1 ? u.out(matmul(x, w)) : u.out(weft::linear(x, w));
          },
          "input", "weight");
    }
    s.over([](Sample& u, const auto& x, const auto& w,
              const auto& b) { u.out(weft::linear(x, w, b)); },
           "input", "weight", "bias");
  };
  t["nn.functional.mse_loss"] = loss([](Sample&, const auto& x, const auto& y, auto how) {
    return weft::nn::mse_loss(x, y, how);
  });
  t["nn.functional.l1_loss"] = loss(
      [](Sample&, const auto& x, const auto& y, auto how) { return weft::nn::l1_loss(x, y, how); });
  t["nn.functional.smooth_l1_loss"] = loss([](Sample& s, const auto& x, const auto& y, auto how) {
    return weft::nn::smooth_l1_loss(x, y, how, s.number("beta", 1));
  });
  t["nn.functional.huber_loss"] = loss([](Sample& s, const auto& x, const auto& y, auto how) {
    return weft::nn::huber_loss(x, y, how, s.number("delta", 1));
  });
  t["nn.functional.soft_margin_loss"] = loss([](Sample&, const auto& x, const auto& y, auto how) {
    return weft::nn::soft_margin_loss(x, y, how);
  });
  t["nn.functional.poisson_nll_loss"] = loss([](Sample& s, const auto& x, const auto& y, auto how) {
    return weft::nn::poisson_nll_loss(x, y,
                                      {.log_input = s.flag("log_input", true),
                                       .full = s.flag("full"),
                                       .epsilon = s.number("eps", 1e-8)},
                                      how);
  });
  t["nn.functional.kl_div"] = loss([](Sample& s, const auto& x, const auto& y, auto how) {
    if (s.flag("log_target")) return weft::Var<double>(weft::nn::kl_div_log_target(x, y, how));
    return weft::Var<double>(weft::nn::kl_div(x, y, how));
  });
  t["nn.functional.cross_entropy"] = t["nn.functional.nll_loss"] = [](Sample& s) {
    if (s.given("size_average") || s.given("reduce")) s.reject("arguments that PyTorch deprecates");
    const bool given_classes = s.value("target").tensor.dtype() == weft::Dtype::int64;
    const bool whole = s.name() == "nn.functional.cross_entropy";
    // The classes are along axis 1 in PyTorch, along the last one here.
    const auto turned = [](const Var<double>& v) {
      return v.rank() > 2 ? Var<double>(weft::movedim(v, 1, -1)) : v;
    };
    const Var<double> x = turned(s.var("input"));
    weft::nn::ClassLossOptions<double, Cpu> o;
    if (s.given("weight")) o.weight = s.tensor("weight");
    o.ignore_index = s.integer("ignore_index", -100);
    o.label_smoothing = s.number("label_smoothing", 0);
    reduced(s, [&](auto how) {
      if constexpr (std::is_same_v<decltype(how), weft::nn::reduce::BatchMean>) {
        s.reject("batchmean");
      } else if (!given_classes) {
        s.out(weft::nn::cross_entropy(x, turned(s.var("target")), o, how));
      } else if (whole) {
        s.out(weft::nn::cross_entropy(x, s.ints("target"), o, how));
      } else {
        s.out(weft::nn::nll_loss(x, s.ints("target"), o, how));
      }
    });
  };
});

}  // namespace conformance
