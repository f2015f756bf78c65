// Models with the names that pretrained files have. With Cuda include weft/cuda/attention.hpp too.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/models/bert.hpp"     // Bert, sentence_vectors
#include "weft/models/gpt.hpp"      // Gpt, with cached generation
#include "weft/models/loading.hpp"  // converted<T>(dict)
