// Files: tensors to and from .npy.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/io/npy.hpp"  // load_npy, save_npy
