// Neural networks: modules, initialisers, losses. With Cuda include weft/cuda/gradient.hpp too.
// SPDX-License-Identifier: Apache-2.0
#pragma once

// clang-format off
#include "weft/autograd.hpp"
#include "weft/autograd/autocast.hpp" // Autocast: products in 16 bits
#include "weft/nn/fields.hpp"  // fields("weight", weight, ...)
#include "weft/nn/visit.hpp"   // visit(module, f)
#include "weft/nn/module.hpp"  // parameters, train, eval, zero_grad, clone, to
#include "weft/nn/flatten.hpp" // flatten_parameters: steps of one kernel
#include "weft/nn/memory_format.hpp" // channels_last(net): weights in that format
#include "weft/nn/rename.hpp"  // Rename: names in a file to names in a module
#include "weft/nn/state.hpp"   // state_dict, load_state_dict
#include "weft/nn/init.hpp"    // init::xavier_uniform, kaiming_normal, trunc_normal, ...
#include "weft/nn/init_matrix.hpp" // init::eye, dirac, orthogonal, sparse
#include "weft/nn/layers/linear.hpp"  // Linear, Embedding
#include "weft/nn/layers/norm.hpp"    // LayerNorm, RMSNorm
#include "weft/nn/layers/batch_norm.hpp" // BatchNorm1d, BatchNorm2d, BatchNorm3d
#include "weft/nn/layers/group_norm.hpp" // GroupNorm, InstanceNorm1d to 3d, LocalResponseNorm
#include "weft/nn/layers/conv.hpp"    // Conv1d to 3d, ConvTranspose1d to 3d
#include "weft/nn/layers/pool.hpp"    // MaxPool, AvgPool, LPPool, AdaptiveAvgPool, MaxUnpool, Upsample, Pad, ...
#include "weft/autograd/conv/grid_sample.hpp" // grid_sample, affine_grid
#include "weft/nn/layers/activations.hpp" // ReLU, GELU, SELU, Softplus, ...
#include "weft/nn/layers/dropout.hpp" // Dropout, Dropout1d to 3d, AlphaDropout
#include "weft/nn/layers/noisy.hpp"   // rrelu, gumbel_softmax, RReLU
#include "weft/nn/layers/sequential.hpp"  // Flatten, Sequential
#include "weft/nn/layers/gated.hpp"   // PReLU, GLU, SwiGLU
#include "weft/nn/layers/bag.hpp"     // EmbeddingBag
#include "weft/nn/attention/attention.hpp"          // MultiheadAttention
#include "weft/nn/attention/transformer_layers.hpp" // TransformerEncoderLayer, TransformerDecoderLayer
#include "weft/nn/attention/transformer.hpp"        // TransformerEncoder, TransformerDecoder, Transformer
#include "weft/nn/attention/positions.hpp"          // PositionalEncoding, rotary_embedding
#include "weft/nn/attention/cache.hpp"              // KeyValueCache
#include "weft/nn/recurrent/recurrent.hpp"          // RNN, LSTM, GRU
#include "weft/nn/recurrent/cells.hpp"    // RNNCell, LSTMCell, GRUCell
#include "weft/nn/fold_norm.hpp" // fuse_conv_bn
#include "weft/nn/hooked.hpp"  // Hooked: functions before, after and in the backward pass
#include "weft/nn/summary.hpp" // summary(net, input)
#include "weft/nn/layers/bilinear.hpp" // Bilinear
#include "weft/nn/losses/loss.hpp"    // cross_entropy, mse_loss, ...
#include "weft/nn/losses/margin.hpp"        // triplet_margin_loss, multi_margin_loss, ...
#include "weft/nn/losses/likelihood.hpp"    // gaussian_nll_loss, poisson_nll_loss
#include "weft/nn/losses/ctc.hpp"     // ctc_loss
#include "weft/nn/losses/criteria.hpp"           // CrossEntropyLoss, MSELoss, ...: losses as modules
// clang-format on

#if defined(WEFT_LIB) && !defined(WEFT_LIB_BUILD_NN)  // by the target weft::lib
#include "weft/nn/lib.hpp"
#endif
