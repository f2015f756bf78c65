// DLPack: tensors exchanged with NumPy, PyTorch, JAX, CuPy and others without copies.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/io/from_dlpack.hpp"
#include "weft/io/to_dlpack.hpp"
