// Data sets and batches of them; weft/data/cuda.hpp brings batches to a GPU.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/data/cifar.hpp"       // load_cifar10, load_cifar100
#include "weft/data/csv.hpp"         // load_csv
#include "weft/data/dataset.hpp"     // TensorDataset, Subset, random_split
#include "weft/data/loader.hpp"      // DataLoader
#include "weft/data/transform.hpp"   // transform(dataset, f)
#include "weft/data/transforms.hpp"  // Normalize, RandomCrop, one_hot, ...
#if __has_include(<zlib.h>)
#include "weft/data/idx.hpp"  // load_idx, load_mnist; link zlib
#endif
