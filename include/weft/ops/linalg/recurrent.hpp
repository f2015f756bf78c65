// RecurrentProblem: all layers of an RNN, LSTM or GRU at once, as a library computes them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "weft/tensor/factory.hpp"

namespace weft {

enum class RecurrentCellKind : unsigned char { rnn_tanh, rnn_relu, lstm, gru };

/// What is known of recurrent layers before they run.
struct RecurrentProblem {
  const char* operation = "";
  RecurrentCellKind cell = RecurrentCellKind::lstm;
  int64_t time = 0;
  int64_t batch = 0;
  int64_t in = 0;
  int64_t width = 0;
  int64_t out = 0;  // of a state that is projected, else the width
  int64_t layers = 1;
  int64_t directions = 1;
  bool bias = true;
  bool records = false;           // a backward pass may follow
  std::vector<int> lengths = {};  // of each sequence; empty where all are whole

  int64_t gates() const {
    return cell == RecurrentCellKind::lstm ? 4 : cell == RecurrentCellKind::gru ? 3 : 1;
  }
  bool projects() const { return out != width; }
  /// Weights of a layer in a direction: of input and state, their biases, and a projection.
  int64_t weights() const { return 2 + (bias ? 2 : 0) + (projects() ? 1 : 0); }
};

/// Where a library wants its weights, as elements of one array: layer 0, layer 0 backwards, layer 1
/// and so on.
struct RecurrentWeightSpace {
  std::vector<int64_t> first;
  int64_t count = 0;
};

/// The arrays of a run, without gaps: x of (time, batch, in), y of (time, batch, directions * out),
/// h of (layers * directions, batch, out), c of (..., width), which is empty but for LSTM.
template <class T, class D>
struct RecurrentArrays {
  Tensor<T, D> x;
  Tensor<T, D> weights;
  Tensor<T, D> h0;
  Tensor<T, D> c0;
  Tensor<T, D> y;
  Tensor<T, D> h;
  Tensor<T, D> c;
};

/// A library's recurrent layers on device D (cuda/linalg/cudnn_rnn.hpp). `kept` is what the forward
/// pass leaves for one backward pass. `from` holds the gradients of y, h and c; those of x, h0, c0
/// and the weights go into `to`.
///   // false: does not take it
///   static bool place(const RecurrentProblem&, D, RecurrentWeightSpace&);
///   static void forward(const RecurrentProblem&, const RecurrentArrays<T, D>&,
///                       Tensor<std::uint8_t, D>& kept);
///   static void backward(const RecurrentProblem&, const RecurrentArrays<T, D>& of,
///                        const Tensor<std::uint8_t, D>& kept, const RecurrentArrays<T, D>& from,
///                        const RecurrentArrays<T, D>& to);
template <class D>
struct RecurrentLibrary;

}  // namespace weft
