// Networks with torchvision's names: models::Cnn, resnet18 to 50, Vgg11, mobilenet_v3_small, large.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/nn/models/cnn.hpp"
#include "weft/nn/models/mobilenet.hpp"
#include "weft/nn/models/resnet.hpp"
#include "weft/nn/models/vgg.hpp"
