// conv::results, images, weights: a convolution and its gradients by the device's fastest method.
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Long because a convolution and both gradients choose between the same routes.

#include "weft/ops/conv/by_matmul.hpp"
#include "weft/ops/conv/depthwise.hpp"
#include "weft/ops/elementwise/unary.hpp"

namespace weft {

/// A library's convolutions on device D (cuda/conv/cudnn.hpp). All tensors of a call have the same
/// format, contiguous or channels_last. Each function returns false, having done nothing, if the
/// library does not support the problem:
///   static bool results(const char* operation, const conv::Problem&, const Tensor<T, D>& x,
///                       const Tensor<T, D>& w, const Tensor<T, D>& y);
///   static bool results_with_bias(operation, problem, x, w, bias, bool cut, y);
///   static bool images(operation, problem, g, w, dx);
///   static bool weights(operation, problem, x, g, dw);
template <class D>
struct ConvLibrary;

/// The gradient of the weight of a depthwise convolution, whose filters read one channel each
/// (cpu/conv/depthwise.hpp, cuda/conv/depthwise.hpp):
///   static void run(const char* operation, const conv::Problem&, const Tensor<T, D>& x,
///                   const Tensor<T, D>& g, const Tensor<T, D>& dw);
template <class D>
struct DepthwiseWeights;

/// Depthwise convolutions of channels-last images by dedicated kernels
/// (cuda/conv/depthwise_last.hpp), which return false, without side effects, for cases they do not
/// support:
///   static bool results(const char* operation, const conv::Problem&, const Tensor<T, D>& x,
///                       const Tensor<T, D>& w, const Tensor<T, D>* bias, const Tensor<T, D>& y);
///   static bool images(operation, problem, g, w, dx);
///   static Tensor<compute_t<T>, D> weights(operation, problem, x, g);  // empty for these
template <class D>
struct DepthwiseLast;
/// The same for contiguous images (cuda/conv/depthwise_planes.hpp).
template <class D>
struct DepthwisePlanes;

namespace conv {

namespace detail {
template <class D>
using Loops = std::conditional_t<is_cuda<D>, Cuda, D>;
template <class D>
constexpr bool has_library() {
  return requires { sizeof(ConvLibrary<Loops<D>>); };
}
template <class D>
constexpr bool has_depthwise() {
  return requires {
    sizeof(DepthwiseLast<Loops<D>>);
    sizeof(DepthwisePlanes<Loops<D>>);
  };
}
/// Images as a matrix with a row for each pixel.
template <class T, class D>
Tensor<T, D> rows_of_places(const Tensor<T, D>& x) {
  const int64_t places = x.size() / (x.shape()[0] * x.shape()[1]);
  using weft::detail::Access;
  return Access::make<T, D>(StorageHandle(Access::storage(x)), x.data(),
                            {x.shape()[0] * places, x.shape()[1]}, {x.shape()[1], 1});
}
}  // namespace detail

/// 1 x 1 convolutions of channels-last images, or of single places: matrix products without a copy.
template <class T, class D>
struct PointwiseProduct {
  using X = Tensor<T, D>;
  static bool takes(const Problem& p, bool last) {
    return (last || p.places() == 1) && p.is_pointwise() && p.groups == 1 && p.channels > 0 &&
           p.filters > 0 && p.images > 0 && weft::detail::can_multiply<detail::Loops<D>>();
  }
  /// Whether they are faster than a GPU's library: always in 16 bits, where it chooses badly, and
  /// for images that do not fill the GPU; for large ones of floats `otherwise` decides.
  static bool is_faster(const Problem& p, bool last, bool otherwise) {
    const int64_t widest = p.channels > p.filters ? p.channels : p.filters;
    const bool small = p.images * p.places() <= (int64_t{1} << 23) / widest;
    return is_cuda<D> && takes(p, last) && (sizeof(T) == 2 || small || otherwise);
  }
  static void results(const char* operation, const Problem& p, const X& x, const X& w, const X& y) {
    const X filters = w.reshape({p.filters, p.channels});
    multiply(operation, detail::rows_of_places(x), filters.t(), detail::rows_of_places(y));
  }
  static void images(const char* operation, const Problem& p, const X& g, const X& w, const X& dx) {
    const X filters = w.reshape({p.filters, p.channels});
    multiply(operation, detail::rows_of_places(g), filters, detail::rows_of_places(dx));
  }
  static void weights(const char* operation, const Problem& p, const X& x, const X& g,
                      const X& dw) {
    if constexpr (is_cuda<D> && requires { sizeof(DepthwiseWeights<detail::Loops<D>>); }) {
      const int64_t count = parts(p);
      if (count > 1) return weights_in_parts(operation, p, x, g, dw, count);
    }
    multiply(operation, detail::rows_of_places(g).t(), detail::rows_of_places(x),
             dw.reshape({p.filters, p.channels}));
  }

  /// How many parts fill a GPU where few results are sums over many places: one product of each
  /// part, as one batch. 1 elsewhere.
  static int64_t parts(const Problem& p) {
    const int64_t rows = p.images * p.places();
    const int64_t tiles = (p.filters + 127) / 128 * ((p.channels + 127) / 128);
    if (sizeof(T) > 4 || tiles > 8 || rows < int64_t{1} << 15) return 1;
    int64_t count = 256 / tiles < 128 ? 256 / tiles : 128;
    while (count >= 16 && rows % count != 0) --count;
    return count >= 16 ? count : 1;
  }
  /// The gradient of the weight: computed for each of `count` parts of the places, and added up in
  /// the type of sums.
  static void weights_in_parts(const char* operation, const Problem& p, const X& x, const X& g,
                               const X& dw, int64_t count) {
    using C = compute_t<T>;
    const int64_t each = p.images * p.places() / count;
    const X left = detail::rows_of_places(g).reshape({count, each, p.filters});
    const X right = detail::rows_of_places(x).reshape({count, each, p.channels});
    const Tensor<C, D> sums =
        weft::detail::Access::allocate<C, D>({count, p.filters, p.channels}, x.device());
    multiply(operation, left.transpose(-1, -2), right, sums);
    const X to = dw.reshape({p.filters, p.channels});
    if constexpr (std::is_same_v<T, C>) {
      to.assign(sum(sums, axis(0)));
    } else {
      to.assign(cast<T>(sum(sums, axis(0))));
    }
  }

 private:
  template <class Out>
  static void multiply(const char* operation, const X& a, const X& b, const Tensor<Out, D>& to) {
    if constexpr (weft::detail::can_multiply<detail::Loops<D>>()) {
      Multiplier<detail::Loops<D>>::multiply(operation, a, b, to);
    }
  }
};

/// What remains if a library has computed y alone: a bias for each channel and, with `cut`, relu,
/// in one pass.
template <class T, class D>
void finish(int64_t channels, const Tensor<T, D>& y, const Tensor<T, D>* bias, bool cut) {
  if (y.size() == 0) return;
  if (bias != nullptr) {
    Shape along{channels};
    for (int i = 2; i < y.rank(); ++i) along.push_back(1);
    const Tensor<T, D> shift = bias->reshape(along);
    if (cut) {
      y.assign(relu(y + shift));
    } else {
      y.assign(y + shift);
    }
  } else if (cut) {
    y.assign(relu(y));
  }
}

/// The convolution of x with the filters w, plus a bias if there is one, and with `cut` followed by
/// relu; in the format of x.
template <class T, class D>
Tensor<T, D> results(const char* operation, const Problem& p, const Tensor<T, D>& images,
                     const Tensor<T, D>& w, const Tensor<T, D>* bias, bool cut = false) {
  namespace all = weft::detail;
  const Tensor<T, D> x = all::in_any_format(images);
  const bool last = is_channels_last(x);
  const Tensor<T, D> y = all::allocate_format<T>(p.result_shape(), x.device(), last);
  if (y.size() == 0) return y;
  bool done = false;
  if constexpr (!is_cuda<D> && detail::has_library<D>()) {
    // A GPU's own kernels for depthwise convolutions are faster than its library's, a CPU's are
    // not.
    if (p.is_depthwise()) {
      const Tensor<T, D> lying = all::in_format(w, last);
      using Library = ConvLibrary<detail::Loops<D>>;
      if (Library::results(operation, p, x, lying, y)) {
        finish(p.filters, y, bias, cut);
        return y;
      }
    }
  }
  if (p.is_depthwise()) {
    const Tensor<T, D> filters = all::in_format(w, false);
    const Tensor<T, D> shift = bias != nullptr ? all::in_format(*bias, false) : Tensor<T, D>();
    bool summed = false;
    if constexpr (detail::has_depthwise<D>()) {
      const auto* const added = bias != nullptr ? &shift : nullptr;
      using Last = DepthwiseLast<detail::Loops<D>>;
      using Flat = DepthwisePlanes<detail::Loops<D>>;
      summed = last ? Last::results(operation, p, x, filters, added, y)
                    : Flat::results(operation, p, x, filters, added, y);
    }
    if (!summed) {
      const DepthwiseResult<T> f{Window(p),      Planes<const T>(x),
                                 filters.data(), bias != nullptr ? shift.data() : nullptr,
                                 Planes<T>(y),   static_cast<int>(p.filters / p.channels)};
      visit(operation, x.device(), volume_of(y), f,
            {x.storage(), filters.storage(), bias != nullptr ? shift.storage() : nullptr},
            {y.storage()});
    }
    finish<T, D>(p.filters, y, nullptr, cut);
    return y;
  }
  const bool by_product = PointwiseProduct<T, D>::is_faster(p, last, bias == nullptr);
  if constexpr (detail::has_library<D>()) {
    using Library = ConvLibrary<detail::Loops<D>>;
    const Tensor<T, D> lying = all::in_format(w, last);
    if (bias != nullptr && !by_product) {
      const Tensor<T, D> shift = all::in_format(*bias, false);
      if (Library::results_with_bias(operation, p, x, lying, shift, cut, y)) return y;
    }
    done = !by_product && Library::results(operation, p, x, lying, y);
  }
  if (done) {
    finish(p.filters, y, bias, cut);
    return y;
  }
  const Tensor<T, D> filters = all::in_format(w, false);
  if (PointwiseProduct<T, D>::takes(p, last)) {
    PointwiseProduct<T, D>::results(operation, p, x, filters, y);
  } else if (!last) {
    ByMatmul<T, D>(operation, p).results(x, filters, y);
  } else {
    const Tensor<T, D> plain = all::Access::allocate<T, D>(p.result_shape(), x.device());
    ByMatmul<T, D>(operation, p).results(all::in_format(x, false), filters, plain);
    y.assign(plain);
  }
  finish(p.filters, y, bias, cut);
  return y;
}

/// The gradient of the images, in the format of g: conv_transpose of g.
template <class T, class D>
Tensor<T, D> images(const char* operation, const Problem& p, const Tensor<T, D>& gradient,
                    const Tensor<T, D>& w) {
  namespace all = weft::detail;
  const Tensor<T, D> g = all::in_any_format(gradient);
  const bool last = is_channels_last(g);
  const Tensor<T, D> dx = all::allocate_format<T>(p.image_shape(), g.device(), last);
  if (dx.size() == 0) return dx;
  if (g.size() == 0 || w.size() == 0) {
    dx.fill(compute_t<T>(0));
    return dx;
  }
  const bool by_product = PointwiseProduct<T, D>::is_faster(p, last, false);
  if constexpr (detail::has_library<D>()) {
    const Tensor<T, D> lying = all::in_format(w, last);
    if (!by_product && ConvLibrary<detail::Loops<D>>::images(operation, p, g, lying, dx)) return dx;
  }
  const Tensor<T, D> filters = all::in_format(w, false);
  if (p.is_depthwise()) {
    if constexpr (detail::has_depthwise<D>()) {
      using Last = DepthwiseLast<detail::Loops<D>>;
      using Flat = DepthwisePlanes<detail::Loops<D>>;
      if (last ? Last::images(operation, p, g, filters, dx)
               : Flat::images(operation, p, g, filters, dx)) {
        return dx;
      }
    }
    const DepthwiseImage<T> f{Window(p), Planes<const T>(g), filters.data(), Planes<T>(dx),
                              static_cast<int>(p.filters / p.channels)};
    visit(operation, g.device(), volume_of(dx), f, {g.storage(), filters.storage()},
          {dx.storage()});
  } else if (PointwiseProduct<T, D>::takes(p, last)) {
    PointwiseProduct<T, D>::images(operation, p, g, filters, dx);
  } else if (!last) {
    ByMatmul<T, D>(operation, p).images(g, filters, dx);
  } else {
    const Tensor<T, D> plain = all::Access::allocate<T, D>(p.image_shape(), g.device());
    ByMatmul<T, D>(operation, p).images(all::in_format(g, false), filters, plain);
    dx.assign(plain);
  }
  return dx;
}

/// The gradient of the filters: `into` where that has the format which the method writes, else new
/// memory.
template <class T, class D>
Tensor<T, D> weights(const char* operation, const Problem& p, const Tensor<T, D>& images,
                     const Tensor<T, D>& gradient, const Tensor<T, D>* into = nullptr) {
  namespace all = weft::detail;
  const auto target = [&](bool last) {
    if (into != nullptr && all::lies_in_format(*into, last)) return all::in_format(*into, last);
    return all::allocate_format<T>(p.weight_shape(), images.device(), last);
  };
  const Tensor<T, D> x = all::in_any_format(images);
  const bool last = is_channels_last(x);
  const Tensor<T, D> g = all::in_format(gradient, last);
  if (x.size() == 0 || g.size() == 0) {
    const Tensor<T, D> none = all::Access::allocate<T, D>(p.weight_shape(), x.device());
    none.fill(compute_t<T>(0));
    return none;
  }
  const bool by_product = PointwiseProduct<T, D>::is_faster(p, last, true);
  if constexpr (detail::has_library<D>()) {
    if (!by_product) {
      const Tensor<T, D> dw = target(last);
      if (ConvLibrary<detail::Loops<D>>::weights(operation, p, x, g, dw)) return dw;
    }
  }
  if (p.is_depthwise()) {
    const Tensor<T, D> dw = target(false);
    if constexpr (requires { sizeof(DepthwiseWeights<detail::Loops<D>>); }) {
      DepthwiseWeights<detail::Loops<D>>::run(operation, p, x, g, dw);
    }
    return dw;
  }
  if (PointwiseProduct<T, D>::takes(p, last)) {
    const Tensor<T, D> dw = target(false);
    PointwiseProduct<T, D>::weights(operation, p, x, g, dw);
    return dw;
  }
  const auto sums =
      ByMatmul<T, D>(operation, p).weights(all::in_format(x, false), all::in_format(g, false));
  if constexpr (is_half<T>) {
    return Tensor<T, D>(cast<T>(sums));
  } else {
    return sums;
  }
}

}  // namespace conv
}  // namespace weft
