// Files and other libraries: .npy, safetensors and, where zlib's header is there, .npz; DLPack.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/weft.hpp"

#include "weft/io/dlpack.hpp"          // to_dlpack, from_dlpack: other libraries' tensors
#include "weft/io/npy.hpp"             // load_npy, save_npy
#include "weft/io/safetensors.hpp"     // load_safetensors, save_safetensors, SafetensorsFile
#include "weft/tensor/state_dict.hpp"  // StateDict: named tensors of any type
#if __has_include(<zlib.h>)
#include "weft/io/npz.hpp"  // load_npz, save_npz; link zlib
#endif

#if defined(WEFT_LIB) && !defined(WEFT_LIB_BUILD_NN)  // by the target weft::lib
#include "weft/io/lib.hpp"
#endif
