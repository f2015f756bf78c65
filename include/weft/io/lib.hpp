// What weft::lib holds compiled of files: safetensors, and .npy of the common element types.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/io/npy.hpp"
#include "weft/io/safetensors.hpp"

#if defined(WEFT_LIB_BUILD_NN)
#define WEFT_LIB_HOLDS template
#else
#define WEFT_LIB_HOLDS extern template
#endif

namespace weft {

WEFT_LIB_HOLDS StateDict load_safetensors<void>(const std::string&);
WEFT_LIB_HOLDS void save_safetensors<void>(const std::string&, const StateDict&);
WEFT_LIB_HOLDS Tensor<float, Cpu> load_npy<float>(const std::string&);
WEFT_LIB_HOLDS Tensor<int64_t, Cpu> load_npy<int64_t>(const std::string&);
WEFT_LIB_HOLDS Tensor<std::uint8_t, Cpu> load_npy<std::uint8_t>(const std::string&);

}  // namespace weft

#undef WEFT_LIB_HOLDS
