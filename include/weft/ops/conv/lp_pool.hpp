// lp_pool1d lp_pool2d lp_pool3d: the p-norm of each window of an image.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/core/math/functions.hpp"
#include "weft/ops/conv/pool_run.hpp"

namespace weft {

/// How lp_pool's kernel moves over an image.
struct LpPoolOptions {
  PerAxis stride = 0;  ///< 0: the kernel's size
  bool ceil_mode = false;
};

namespace pool {

/// lp_pool of Vars, in autograd/conv/lp_pool.hpp.
template <class V>
struct RecordedPower;

/// x^p, without a call for the usual p.
template <class C>
WEFT_HD C power(C x, C p) {
  return p == C(2)    ? x * x
         : p == C(1)  ? x
         : p == C(0)  ? C(1)
         : p == C(-1) ? C(1) / x
                      : math::pow(x, p);
}

/// (sum of x^p over a window)^(1 / p). A window that is cut off at the end is scaled up to a whole
/// one.
template <class T>
struct Norm {
  using C = compute_t<T>;
  static constexpr int neighbours = sizeof(T) < 8 ? 4 : 2;

  Window window;
  Planes<const T> from;
  Planes<T> to;
  C p;

  /// Elements of a whole window over the elements inside the image.
  WEFT_HD static C share(const Window& w, const Place& at) {
    const int whole = w.kernel[0] * w.kernel[1] * w.kernel[2];
    return static_cast<C>(whole) / static_cast<C>(w.share(at.z, at.y, at.x));
  }

  template <int V>
  struct Looked {
    Windows<V> windows;
    C share[V];
  };
  template <int V>
  WEFT_HD Looked<V> look(const Place& at) const {
    Looked<V> seen{Windows<V>(window, at), {}};
    WEFT_UNROLL
    for (int v = 0; v < V; ++v) seen.share[v] = share(window, {at.n, at.c, at.z, at.y, at.x + v});
    return seen;
  }
  WEFT_HD T* target(const conv::Plane& plane) const { return to.at(plane); }
  WEFT_HD int64_t within(const Place& at) const { return to.within(at); }
  bool takes_neighbours() const {
    return from.x == 1 && to.x == 1 && window.is_usual() && (p == C(1) || p == C(2));
  }
  template <int V>
  WEFT_HD void compute(const Looked<V>& seen, const conv::Plane& plane, T (&out)[V]) const {
    const auto powered = [this](C x) {
      if constexpr (V > 1) return p == C(2) ? x * x : x;
      return power(x, p);
    };
    C sum[V]{};
    seen.windows.add(window, from.at(plane), from, powered, sum);
    WEFT_UNROLL
    for (int v = 0; v < V; ++v) {
      const C all = sum[v] * seen.share[v];
      out[v] = static_cast<T>(p == C(2)            ? math::sqrt(all)
                              : V > 1 || p == C(1) ? all
                                                   : math::pow(all, C(1) / p));
    }
  }
};

/// The gradient of its images: y^(1 - p) x^(p - 1) of each window, and 0 of windows whose norm is.
template <class T>
struct NormGradient {
  using C = compute_t<T>;

  Window window;
  Planes<const T> images;
  Planes<const T> results;
  Planes<const T> from;  // the gradient of the results
  Planes<T> to;
  C p;
  bool clipped = window.is_clipped();

  struct Looked {
    Box readers;
    int64_t at;  // within the images
  };
  template <int V>
  WEFT_HD Looked look(const Place& at) const {
    return {window.readers(at), images.within(at)};
  }
  WEFT_HD T* target(const conv::Plane& plane) const { return to.at(plane); }
  WEFT_HD int64_t within(const Place& at) const { return to.within(at); }
  WEFT_HD void compute(const Looked& seen, const conv::Plane& plane, T (&out)[1]) const {
    const Box& r = seen.readers;
    C sum{};
    for (int z = r.front; z < r.back; ++z) {
      for (int y = r.top; y < r.bottom; ++y) {
        for (int x = r.left; x < r.right; ++x) {
          const C norm = load_element(results.at(plane)[results.within(z, y, x)]);
          if (norm == C(0)) continue;
          const C share = clipped ? Norm<T>::share(window, {0, 0, z, y, x}) : C(1);
          sum += static_cast<C>(load_element(from.at(plane)[from.within(z, y, x)])) *
                 power(norm, C(1) - p) * share;
        }
      }
    }
    const C x = load_element(images.at(plane)[seen.at]);
    out[0] = static_cast<T>(sum == C(0) ? sum : sum * power(x, p - C(1)));
  }
};

/// The windows of an lp_pool and its p.
struct Powers {
  Window window;
  double p;
};

template <class T, class D>
Tensor<T, D> norms(const char* operation, const Powers& n, const Tensor<T, D>& images) {
  using namespace weft::detail;
  const Tensor<T, D> x = in_any_format(images);
  const Tensor<T, D> y =
      allocate_format<T>(result_shape(x.shape(), n.window), x.device(), is_channels_last(x));
  const Norm<T> f{n.window, Planes<const T>(x), Planes<T>(y), static_cast<compute_t<T>>(n.p)};
  conv::visit(operation, x.device(), conv::volume_of(y), f, {x.storage()}, {y.storage()});
  return y;
}

struct NormKind {
  using domain = op::Floating;
  static constexpr const char* text = "lp_pool";
};

template <int Axes, class X>
auto norm_of(const char* operation, const X& x, double p, const PerAxis& kernel,
             const LpPoolOptions& o) {
  if (!(p > 0) || p > 1e6) {
    fail<ValueError>(operation, "a norm of power ", p, ", expected a number above 0");
  }
  const auto plan_of = [&](const Shape& s) {
    Window w = plan(operation, s, Axes, kernel, o.stride, 0, 1, o.ceil_mode);
    w.counts_padding = false;
    return w;
  };
  return apply<NormKind, Axes>(x, plan_of, [&](const auto& images, const Window& w) {
    using V = std::remove_cvref_t<decltype(images)>;
    if constexpr (weft::detail::is_var<V>) {
      return RecordedPower<V>::norms(operation, Powers{w, p}, images);
    } else {
      return norms(operation, Powers{w, p}, images);
    }
  });
}

}  // namespace pool

/// (sum of x^p)^(1 / p) over each window of images (batch, channel, length), as PyTorch's
/// lp_pool1d: the sum for p = 1, nearly the maximum for large p. Its gradient is 0 where the norm
/// is.
template <ExpressionLike X>
auto lp_pool1d(const X& x, double p, const PerAxis& kernel, const LpPoolOptions& options = {}) {
  return pool::norm_of<1>("lp_pool1d", x, p, kernel, options);
}
/// As lp_pool1d, for images (batch, channel, row, column).
template <ExpressionLike X>
auto lp_pool2d(const X& x, double p, const PerAxis& kernel, const LpPoolOptions& options = {}) {
  return pool::norm_of<2>("lp_pool2d", x, p, kernel, options);
}
/// As lp_pool1d, for images (batch, channel, z, y, x).
template <ExpressionLike X>
auto lp_pool3d(const X& x, double p, const PerAxis& kernel, const LpPoolOptions& options = {}) {
  return pool::norm_of<3>("lp_pool3d", x, p, kernel, options);
}

}  // namespace weft
