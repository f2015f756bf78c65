// NVTX ranges that name expressions in Nsight's timelines; costs 0.6 s of compile time per file.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nvtx3/nvToolsExt.h>

#include "weft/cuda/runtime/launch_observer.hpp"
#include "weft/eval/program/settings.hpp"

namespace weft::on_cuda {

namespace detail {

/// weft's domain in the timeline.
[[gnu::visibility("default")]] inline nvtxDomainHandle_t nvtx_domain() {
  static const nvtxDomainHandle_t domain = nvtxDomainCreateA("weft");
  return domain;
}

/// The text of a name, registered once a thread for most expressions.
WEFT_OUTLINED inline nvtxStringHandle_t nvtx_name(const weft::detail::Name& name) {
  struct Known {
    const char* type;
    nvtxStringHandle_t handle;
  };
  constexpr std::size_t capacity = 256;
  static thread_local Known known[capacity] = {};
  const char* key = name.type != nullptr ? name.type : name.operation;
  Known& place = known[reinterpret_cast<std::size_t>(key) / 8 % capacity];
  if (place.type != key) {
    place = {key, nvtxDomainRegisterStringA(nvtx_domain(), text(name).c_str())};
  }
  return place.handle;
}

inline void push_nvtx_range(const weft::detail::Name& name) {
  nvtxEventAttributes_t attributes{};
  attributes.version = NVTX_VERSION;
  attributes.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
  attributes.messageType = NVTX_MESSAGE_TYPE_REGISTERED;
  attributes.message.registered = nvtx_name(name);
  nvtxDomainRangePushEx(nvtx_domain(), &attributes);
}
inline void pop_nvtx_range() { nvtxDomainRangePop(nvtx_domain()); }

[[gnu::visibility("default")]] inline constexpr LaunchObserver nvtx_observer{push_nvtx_range,
                                                                             pop_nvtx_range};
}  // namespace detail

/// Starts or stops giving each kernel of the process a range with its expression's name. On from
/// the start with WEFT_NVTX=1, or if a tool such as Nsight Systems started the program.
inline void name_kernels(bool on = true) {
  observe_launches(on ? &detail::nvtx_observer : nullptr);
}

namespace detail {
inline const bool nvtx_at_start = [] {
  const bool wanted = weft::detail::environment_flag("WEFT_NVTX") ||
                      weft::detail::environment_flag("NVTX_INJECTION64_PATH");
  if (wanted) name_kernels();
  return wanted;
}();
}  // namespace detail

}  // namespace weft::on_cuda
