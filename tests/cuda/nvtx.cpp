// SPDX-License-Identifier: Apache-2.0
#include <weft/cuda/nvtx.hpp>

#include <cstdlib>
#include <vector>

#include "test.hpp"

// A tool in the program itself, in the way that NVTX has for that, which notes what it is told.
namespace {
std::vector<weft::Text> names;    // registered
std::vector<std::size_t> ranges;  // pushed
int popped = 0;

nvtxDomainHandle_t NVTX_API create_domain(const char* name) {
  return weft::Text(name) == "weft" ? reinterpret_cast<nvtxDomainHandle_t>(1) : nullptr;
}
nvtxStringHandle_t NVTX_API register_string(nvtxDomainHandle_t, const char* name) {
  names.push_back(name);
  return reinterpret_cast<nvtxStringHandle_t>(names.size());
}
int NVTX_API push(nvtxDomainHandle_t domain, const nvtxEventAttributes_t* range) {
  if (domain != nullptr) {
    ranges.push_back(reinterpret_cast<std::size_t>(range->message.registered) - 1);
  }
  return 0;
}
int NVTX_API pop(nvtxDomainHandle_t) { return ++popped; }

template <class F>
void set(NvtxFunctionTable table, int which, F* function) {
  *table[which] = reinterpret_cast<NvtxFunctionPointer>(function);
}

int NVTX_API listen(NvtxGetExportTableFunc_t get) {
  const auto* callbacks = static_cast<const NvtxExportTableCallbacks*>(get(NVTX_ETID_CALLBACKS));
  NvtxFunctionTable table = nullptr;
  if (callbacks->GetModuleFunctionTable(NVTX_CB_MODULE_CORE2, &table, nullptr) == 0) return 0;
  set(table, NVTX_CBID_CORE2_DomainCreateA, create_domain);
  set(table, NVTX_CBID_CORE2_DomainRegisterStringA, register_string);
  set(table, NVTX_CBID_CORE2_DomainRangePushEx, push);
  set(table, NVTX_CBID_CORE2_DomainRangePop, pop);
  return 1;
}
/// Before the first range, NVTX asks this pointer, which is null unless a tool is linked in.
const bool listening = (InitializeInjectionNvtx2_fnptr = listen) != nullptr;
}  // namespace

TEST_CASE("ranges have the names of expressions, each registered once") {
  CHECK(listening);
  CHECK(weft::cuda::detail::nvtx_at_start ==
        (weft::detail::environment_flag("WEFT_NVTX") ||
         weft::detail::environment_flag("NVTX_INJECTION64_PATH")));
  weft::cuda::name_kernels();
  CHECK(weft::cuda::detail::launch_observer == &weft::cuda::detail::nvtx_observer);
  names.clear();
  ranges.clear();
  popped = 0;
  const auto name = weft::detail::name_of<decltype(weft::ones({1}) + weft::ones({1}))>();
  for (int i = 0; i < 3; ++i) {
    const weft::cuda::detail::ObservedLaunch scope(name);
    CHECK(popped == i);
  }
  CHECK(popped == 3);
  REQUIRE(ranges.size() == 3);
  CHECK(names.size() == 1);
  CHECK(names[ranges[2]] == "add(float, float)");
  weft::cuda::name_kernels(false);
  { const weft::cuda::detail::ObservedLaunch scope(name); }
  CHECK(popped == 3);
}

TEST_CASE("kernels run inside ranges [gpu]") {
  weft::cuda::name_kernels();
  ranges.clear();
  const auto x = weft::ones({100}, weft::Cuda{});
  CHECK((x + 1).eval().to_vector()[99] == 2);
  weft::cuda::name_kernels(false);
  REQUIRE(!ranges.empty());
  CHECK(names[ranges.back()] == "add(float, number)");
}
