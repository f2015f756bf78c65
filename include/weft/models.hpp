// Models with the names that pretrained files have. With Cuda include weft/cuda/attention.hpp too.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/nn.hpp"

#include "weft/models/bert.hpp"     // Bert, load_bert, sentence_vectors
#include "weft/models/gpt.hpp"      // Gpt, load_gpt, with cached generation
#include "weft/models/loading.hpp"  // converted<T>(dict)
