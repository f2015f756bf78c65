// conv::results, images, weights: a convolution and its gradients by the device's fastest method.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/ops/conv/by_matmul.hpp"
#include "weft/ops/conv/depthwise.hpp"
#include "weft/ops/conv/pointwise.hpp"
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

/// Depthwise convolutions of channels-last images by dedicated kernels (cpu/conv/depthwise.hpp,
/// cuda/conv/depthwise_last.hpp), which return false, without side effects, for cases they do not
/// support; the filters' gradient is a part of DepthwiseWeights:
///   static bool results(const char* operation, const conv::Problem&, const Tensor<T, D>& x,
///                       const Tensor<T, D>& w, const Tensor<T, D>* bias, const Tensor<T, D>& y);
///   static bool images(operation, problem, g, w, dx);
template <class D>
struct DepthwiseLast;
/// The same for contiguous images (cpu/conv/depthwise.hpp, cuda/conv/depthwise_planes.hpp).
template <class D>
struct DepthwisePlanes;

namespace conv {

namespace detail {
template <class D>
constexpr bool has_library() {
  return requires { sizeof(ConvLibrary<Loops<D>>); };
}
template <class D>
constexpr bool has_depthwise_last() {
  return requires { sizeof(DepthwiseLast<Loops<D>>); };
}
template <class D>
constexpr bool has_depthwise_planes() {
  return requires { sizeof(DepthwisePlanes<Loops<D>>); };
}
}  // namespace detail

/// What is left to do where a library has computed y alone: a bias for each of its channels, and
/// with `cut` nothing below 0, in one pass.
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
    const auto* const added = bias != nullptr ? &shift : nullptr;
    if constexpr (detail::has_depthwise_last<D>()) {
      using Last = DepthwiseLast<detail::Loops<D>>;
      summed = last && Last::results(operation, p, x, filters, added, y);
    }
    if constexpr (detail::has_depthwise_planes<D>()) {
      using Flat = DepthwisePlanes<detail::Loops<D>>;
      summed = summed || (!last && Flat::results(operation, p, x, filters, added, y));
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
    if constexpr (detail::has_depthwise_last<D>()) {
      using Last = DepthwiseLast<detail::Loops<D>>;
      if (last && Last::images(operation, p, g, filters, dx)) return dx;
    }
    if constexpr (detail::has_depthwise_planes<D>()) {
      using Flat = DepthwisePlanes<detail::Loops<D>>;
      if (!last && Flat::images(operation, p, g, filters, dx)) return dx;
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
