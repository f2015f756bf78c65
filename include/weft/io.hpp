// Files: tensors to and from .npy and safetensors.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/io/npy.hpp"          // load_npy, save_npy
#include "weft/io/safetensors.hpp"  // load_safetensors, save_safetensors
