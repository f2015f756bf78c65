// Files: tensors to and from .npy, safetensors and, where zlib's header is there, .npz.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/io/npy.hpp"             // load_npy, save_npy
#include "weft/io/safetensors.hpp"     // load_safetensors, save_safetensors, SafetensorsFile
#include "weft/tensor/state_dict.hpp"  // StateDict: named tensors of any type
#if __has_include(<zlib.h>)
#include "weft/io/npz.hpp"  // load_npz, save_npz; link zlib
#endif
