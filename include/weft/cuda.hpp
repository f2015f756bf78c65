// weft with the CUDA device, without CUB: reductions on CUDA are in weft/cuda/reduce.hpp.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/weft.hpp"

#include "weft/cuda/copy.hpp"                  // x.to(Cuda{}), pinned memory
#include "weft/cuda/device.hpp"                // is_available, properties, DeviceGuard
#include "weft/cuda/elementwise/batch.hpp"     // Batch
#include "weft/cuda/elementwise/for_each.hpp"  // the CUDA kernels
#include "weft/cuda/elementwise/join.hpp"      // joins of short pieces
#include "weft/cuda/elementwise/scatter.hpp"   // and scatters
#include "weft/cuda/event.hpp"                 // Event
#include "weft/cuda/graph.hpp"                 // capture, Graph
#include "weft/cuda/memory.hpp"                // memory statistics, empty_cache
#include "weft/cuda/recorder.hpp"              // the same for GraphedStep
#include "weft/cuda/stream.hpp"                // Stream, StreamGuard
#include "weft/cuda/synchronize.hpp"           // synchronize

#if defined(WEFT_LIB_CUDA) || defined(WEFT_LIB_BUILD)  // by the target weft::lib_cuda
#include "weft/cuda/lib.hpp"
#endif
