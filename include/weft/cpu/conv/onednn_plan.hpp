// A convolution as oneDNN takes it: primitives, kept by shape, and the formats they work in.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#if defined(WEFT_ONEDNN)

#include <oneapi/dnnl/dnnl.h>
#include <pthread.h>

#include <cstring>
#include <vector>

#include "weft/cpu/linalg/blas_threads.hpp"
#include "weft/cpu/memory.hpp"
#include "weft/cpu/parallel.hpp"
#include "weft/ops/conv/problem.hpp"

namespace weft::cpu {

/// Which part of a convolution is computed.
enum class OneDnnPart : int64_t { results, biased, images, weights };

/// A convolution, compared as bytes: all numbers of 64 bits.
struct OneDnnProblem {
  int64_t part;
  int64_t last_image;  // channels side by side in memory
  int64_t last_filter;
  conv::Problem conv;
};

namespace detail {

#if DNNL_VERSION_MAJOR >= 3
using OneDnnLayout = const_dnnl_memory_desc_t;
#else
using OneDnnLayout = const dnnl_memory_desc_t*;
#endif

/// An array's layout, or, without strides, whichever oneDNN prefers. Never destroyed.
inline OneDnnLayout onednn_layout(int rank, const int64_t* size, const int64_t* stride) {
  dnnl_dims_t sizes{};
  dnnl_dims_t strides{};
  for (int i = 0; i < rank; ++i) {
    sizes[i] = size[i];
    if (stride != nullptr) strides[i] = stride[i];
  }
#if DNNL_VERSION_MAJOR >= 3
  dnnl_memory_desc_t made = nullptr;
  const dnnl_status_t status =
      stride != nullptr
          ? dnnl_memory_desc_create_with_strides(&made, rank, sizes, dnnl_f32, strides)
          : dnnl_memory_desc_create_with_tag(&made, rank, sizes, dnnl_f32, dnnl_format_tag_any);
#else
  auto* const made = new dnnl_memory_desc_t;
  const dnnl_status_t status =
      stride != nullptr
          ? dnnl_memory_desc_init_by_strides(made, rank, sizes, dnnl_f32, strides)
          : dnnl_memory_desc_init_by_tag(made, rank, sizes, dnnl_f32, dnnl_format_tag_any);
#endif
  return status == dnnl_success ? made : nullptr;
}

/// oneDNN's engine for the processor.
inline dnnl_engine_t onednn_engine() {
  static const dnnl_engine_t engine = [] {
    dnnl_engine_t made = nullptr;
    return dnnl_engine_create(&made, dnnl_cpu, 0) == dnnl_success ? made : nullptr;
  }();
  return engine;
}

/// Says that each call brings its own scratchpad. oneDNN's own belongs to the thread that made a
/// primitive, and is missing or too small where weft's other threads run it.
inline dnnl_primitive_attr_t onednn_attributes() {
  static const dnnl_primitive_attr_t attributes = [] {
    dnnl_primitive_attr_t made = nullptr;
    if (dnnl_primitive_attr_create(&made) != dnnl_success) return dnnl_primitive_attr_t{};
    dnnl_primitive_attr_set_scratchpad_mode(made, dnnl_scratchpad_mode_user);
    return made;
  }();
  return attributes;
}

/// An array of a plan: its given layout, the layout the convolution wants, and the copy between
/// them.
struct OneDnnArray {
  OneDnnLayout given = nullptr;
  OneDnnLayout wanted = nullptr;
  dnnl_primitive_t copy = nullptr;  // null where they are the same
  OneDnnLayout scratch = nullptr;   // what the copy works in
};

struct OneDnnPlan {
  OneDnnProblem problem{};
  bool found = false;
  dnnl_primitive_t convolution = nullptr;
  OneDnnArray image;
  OneDnnArray filter;
  OneDnnArray result;
  OneDnnLayout bias = nullptr;
  OneDnnLayout scratch = nullptr;  // what the convolution works in
};

/// Finds a plan's primitives.
class OneDnnPlanner {
 public:
  explicit OneDnnPlanner(OneDnnPlan& plan)
      : plan_(plan), p_(plan.problem.conv), axes_(p_.axes == 3 ? 3 : 2) {}

  WEFT_ONCE bool run() {
    if (onednn_engine() == nullptr || !windows()) return false;
    const bool last = plan_.problem.last_image != 0;
    const auto part = static_cast<OneDnnPart>(plan_.problem.part);
    plan_.image.given = images(p_.channels, p_.in, last, true);
    plan_.result.given = images(p_.filters, p_.out, last, true);
    plan_.filter.given = filters(true);
    const OneDnnLayout image = last ? plan_.image.given : images(p_.channels, p_.in, last, false);
    const OneDnnLayout result = last ? plan_.result.given : images(p_.filters, p_.out, last, false);
    const OneDnnLayout filter = filters(false);
    if (part == OneDnnPart::biased) {
      const int64_t one = 1;
      plan_.bias = onednn_layout(1, &p_.filters, &one);
    }
    dnnl_primitive_desc_t forward = nullptr;
    dnnl_primitive_desc_t pd = nullptr;
    if (!describe(part == OneDnnPart::biased ? part : OneDnnPart::results, nullptr, image, filter,
                  result, forward)) {
      return false;
    }
    pd = forward;
    if (part == OneDnnPart::images || part == OneDnnPart::weights) {
      if (!describe(part, forward, image, filter, result, pd)) return false;
    }
    if (part == OneDnnPart::weights && p_.is_depthwise() && !is_depthwise(pd)) return false;
    const auto layout = [&](dnnl_query_t what) {
      return dnnl_primitive_desc_query_md(pd, what, 0);
    };
    const bool to_image = part == OneDnnPart::images;
    const bool to_filter = part == OneDnnPart::weights;
    const bool back = to_image || to_filter;
    plan_.scratch = layout(dnnl_query_scratchpad_md);
    return connect(plan_.image, layout(to_image ? dnnl_query_diff_src_md : dnnl_query_src_md),
                   to_image) &&
           connect(plan_.filter,
                   layout(to_filter ? dnnl_query_diff_weights_md : dnnl_query_weights_md),
                   to_filter) &&
           connect(plan_.result, layout(back ? dnnl_query_diff_dst_md : dnnl_query_dst_md),
                   !back) &&
           dnnl_primitive_create(&plan_.convolution, pd) == dnnl_success;
  }

 private:
  /// Strides, dilations and paddings; false if the padding at the end would be negative.
  bool windows() {
    for (int i = 0; i < axes_; ++i) {
      const int at = 3 - axes_ + i;
      const int64_t reach = p_.dilation[at] * (p_.kernel[at] - 1) + 1;
      stride_[i] = p_.stride[at];
      dilation_[i] = p_.dilation[at] - 1;
      before_[i] = behind_[i] = p_.padding[at];
      if ((p_.in[at] + 2 * p_.padding[at] - reach) / p_.stride[at] + 1 != p_.out[at]) {
        behind_[i] = (p_.out[at] - 1) * p_.stride[at] + reach - p_.in[at] - p_.padding[at];
      }
      if (behind_[i] < 0) return false;
    }
    return true;
  }
  OneDnnLayout images(int64_t channels, const int64_t* place, bool last, bool as_given) const {
    int64_t size[5] = {p_.images, channels};
    int64_t stride[5] = {};
    int64_t step = last ? channels : 1;
    for (int i = axes_ - 1; i >= 0; --i) {
      size[2 + i] = place[3 - axes_ + i];
      stride[2 + i] = step;
      step *= size[2 + i];
    }
    stride[1] = last ? 1 : step;
    stride[0] = last ? step : step * channels;
    return onednn_layout(axes_ + 2, size, as_given ? stride : nullptr);
  }
  /// (group, filter, channel, place...), without the first if there is one group.
  OneDnnLayout filters(bool as_given) const {
    const bool last = plan_.problem.last_filter != 0;
    const int64_t channels = p_.channels / p_.groups;
    int64_t size[6] = {p_.groups, p_.filters / p_.groups, channels};
    int64_t stride[6] = {};
    int64_t step = last ? channels : 1;
    for (int i = axes_ - 1; i >= 0; --i) {
      size[3 + i] = p_.kernel[3 - axes_ + i];
      stride[3 + i] = step;
      step *= size[3 + i];
    }
    stride[2] = last ? 1 : step;
    stride[1] = last ? step : step * channels;
    stride[0] = stride[1] * size[1];
    const int first = p_.groups == 1 ? 1 : 0;
    return onednn_layout(axes_ + 3 - first, size + first, as_given ? stride + first : nullptr);
  }
  bool describe(OneDnnPart part, dnnl_primitive_desc_t forward, OneDnnLayout image,
                OneDnnLayout filter, OneDnnLayout result, dnnl_primitive_desc_t& to) const {
    constexpr auto way = dnnl_convolution_direct;
#if DNNL_VERSION_MAJOR >= 3
    if (part == OneDnnPart::images) {
      return dnnl_convolution_backward_data_primitive_desc_create(
                 &to, onednn_engine(), way, image, filter, result, stride_, dilation_, before_,
                 behind_, forward, onednn_attributes()) == dnnl_success;
    }
    if (part == OneDnnPart::weights) {
      return dnnl_convolution_backward_weights_primitive_desc_create(
                 &to, onednn_engine(), way, image, filter, nullptr, result, stride_, dilation_,
                 before_, behind_, forward, onednn_attributes()) == dnnl_success;
    }
    return dnnl_convolution_forward_primitive_desc_create(
               &to, onednn_engine(), dnnl_forward_training, way, image, filter, plan_.bias, result,
               stride_, dilation_, before_, behind_, onednn_attributes()) == dnnl_success;
#else
    dnnl_convolution_desc_t how;
    dnnl_status_t status;
    if (part == OneDnnPart::images) {
      status = dnnl_dilated_convolution_backward_data_desc_init(
          &how, way, image, filter, result, stride_, dilation_, before_, behind_);
    } else if (part == OneDnnPart::weights) {
      status = dnnl_dilated_convolution_backward_weights_desc_init(
          &how, way, image, filter, nullptr, result, stride_, dilation_, before_, behind_);
    } else {
      status = dnnl_dilated_convolution_forward_desc_init(&how, dnnl_forward_training, way, image,
                                                          filter, plan_.bias, result, stride_,
                                                          dilation_, before_, behind_);
    }
    return status == dnnl_success &&
           dnnl_primitive_desc_create(&to, &how, onednn_attributes(), onednn_engine(), forward) ==
               dnnl_success;
#endif
  }
  /// Whether oneDNN has chosen a depthwise method. For the filters' gradient of kernels larger than
  /// 3 x 3 it computes as if there were more channels in a group, 5 to 40 times as long.
  static bool is_depthwise(dnnl_primitive_desc_t pd) {
    const char* name = nullptr;
    return dnnl_primitive_desc_query(pd, dnnl_query_impl_info_str, 0, static_cast<void*>(&name)) ==
               dnnl_success &&
           std::strstr(name, "dw") != nullptr;
  }
  /// The copy between the layout that an array has and the one that is wanted.
  static bool connect(OneDnnArray& array, OneDnnLayout wanted, bool written) {
    array.wanted = wanted;
    if (array.given == nullptr || wanted == nullptr) return false;
    if (dnnl_memory_desc_equal(array.given, wanted) != 0) return true;
    dnnl_primitive_desc_t pd = nullptr;
    const auto engine = onednn_engine();
    return dnnl_reorder_primitive_desc_create(&pd, written ? wanted : array.given, engine,
                                              written ? array.given : wanted, engine,
                                              onednn_attributes()) == dnnl_success &&
           (array.scratch = dnnl_primitive_desc_query_md(pd, dnnl_query_scratchpad_md, 0),
            dnnl_primitive_create(&array.copy, pd)) == dnnl_success;
  }

  OneDnnPlan& plan_;
  const conv::Problem& p_;
  int axes_;
  dnnl_dims_t stride_{};
  dnnl_dims_t dilation_{};
  dnnl_dims_t before_{};
  dnnl_dims_t behind_{};
};

/// Plans, never destroyed.
struct OneDnnPlans {
  pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  std::vector<const OneDnnPlan*>* all = nullptr;
};
[[gnu::visibility("default")]] inline OneDnnPlans onednn_plans;

/// The plan for a problem, cached or new.
[[gnu::noinline]] inline const OneDnnPlan& plan_onednn(const OneDnnProblem& p) {
  pthread_mutex_lock(&onednn_plans.mutex);
  if (onednn_plans.all == nullptr) onednn_plans.all = new std::vector<const OneDnnPlan*>;
  const OneDnnPlan* found = nullptr;
  for (const OneDnnPlan* plan : *onednn_plans.all) {
    if (plan->problem.part == p.part && plan->problem.last_image == p.last_image &&
        plan->problem.last_filter == p.last_filter && plan->problem.conv == p.conv) {
      found = plan;
    }
  }
  if (found == nullptr) {
    auto* const made = new OneDnnPlan;
    made->problem = p;
    made->found = OneDnnPlanner(*made).run();
    onednn_plans.all->push_back(made);
    found = made;
  }
  pthread_mutex_unlock(&onednn_plans.mutex);
  return *found;
}

}  // namespace detail

}  // namespace weft::cpu

#endif
