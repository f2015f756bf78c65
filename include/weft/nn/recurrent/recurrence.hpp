// Steps of LSTM, GRU and RNN, forwards and back: what follows each step's product.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/autograd/rows/compose.hpp"
#include "weft/ops/fuse.hpp"
#include "weft/ops/linalg/matmul.hpp"

namespace weft::nn::detail {

/// Column block number i, of `width` columns.
template <class X>
X block(const X& x, int i, int64_t width) {
  return x.narrow(1, i * width, width);
}

/// What all cells' steps take: (batch, ...) each. `input` has the gates' products with the input,
/// and gets what the backward pass needs of them; `hidden` has the products with the previous state
/// where they are kept apart. In the backward pass the gradient of h is the sum of `dh` and `more`.
template <class T, class D>
struct StepOperands {
  Tensor<T, D> input;   // (batch, gates * width)
  Tensor<T, D> hidden;  // the same
  Tensor<T, D> h0;
  Tensor<T, D> c0;
  Tensor<T, D> h;  // (batch, width)
  Tensor<T, D> c;
  Tensor<T, D> dh;
  Tensor<T, D> more;
  Tensor<T, D> dc;       // of the cell's state from the output
  Tensor<T, D> carry_c;  // from the step behind; gets the gradient of c0
  Tensor<T, D> d_input;  // gets the gradients of input and hidden
  Tensor<T, D> d_hidden;
  Tensor<T, D> carry_h;  // gets what goes to h0 past the gates
};

/// i f g o: c = f c0 + i g, h = o tanh(c) (Hochreiter and Schmidhuber 1997).
struct LstmSteps {
  static constexpr const char* text = "lstm";
  static constexpr int gates = 4;
  static constexpr bool has_cell = true;
  static constexpr bool is_apart = false;

  template <class T, class D>
  static void forward(const StepOperands<T, D>& s) {
    const int64_t n = s.h.size(1);
    const auto i = block(s.input, 0, n);
    const auto f = block(s.input, 1, n);
    const auto g = block(s.input, 2, n);
    const auto o = block(s.input, 3, n);
    if constexpr (is_cuda<D>) {
      const auto c = sigmoid(f) * s.c0 + sigmoid(i) * tanh(g);
      tie(i, f, g, o, s.c, s.h) =
          fuse(sigmoid(i), sigmoid(f), tanh(g), sigmoid(o), c, sigmoid(o) * tanh(c));
    } else {  // each function once
      const auto both = s.input.narrow(1, 0, 2 * n);
      both.assign(sigmoid(both));
      g.assign(tanh(g));
      o.assign(sigmoid(o));
      s.c.assign(f * s.c0 + i * g);
      s.h.assign(o * tanh(s.c));
    }
  }
  template <class T, class D>
  static void backward(const StepOperands<T, D>& s) {
    using C = compute_t<T>;
    const int64_t n = s.c.size(1);
    const auto i = block(s.input, 0, n);
    const auto f = block(s.input, 1, n);
    const auto g = block(s.input, 2, n);
    const auto o = block(s.input, 3, n);
    const auto di = block(s.d_input, 0, n);
    const auto df = block(s.d_input, 1, n);
    const auto dg = block(s.d_input, 2, n);
    const auto d_o = block(s.d_input, 3, n);
    const auto dh = s.dh + s.more;
    const auto t = tanh(s.c);
    const auto dc = s.carry_c + s.dc + dh * o * (C(1) - t * t);
    s.carry_c.assign(dc);
    const Tensor<T, D>& d = s.carry_c;
    tie(di, df, dg, d_o, d) = fuse(d * g * i * (C(1) - i), d * s.c0 * f * (C(1) - f),
                                   d * i * (C(1) - g * g), dh * t * o * (C(1) - o), d * f);
  }
};

/// r z n: n = tanh(x_n + r h_n), h = (1 - z) n + z h0, where h_n is the product with h0 and its
/// bias (Cho et al. 2014, as cuDNN and PyTorch have it).
struct GruSteps {
  static constexpr const char* text = "gru";
  static constexpr int gates = 3;
  static constexpr bool has_cell = false;
  static constexpr bool is_apart = true;

  template <class T, class D>
  static void forward(const StepOperands<T, D>& s) {
    const int64_t width = s.h.size(1);
    const auto r = block(s.input, 0, width);
    const auto z = block(s.input, 1, width);
    const auto n = block(s.input, 2, width);
    const auto hr = block(s.hidden, 0, width);
    const auto hz = block(s.hidden, 1, width);
    const auto hn = block(s.hidden, 2, width);
    if constexpr (is_cuda<D>) {
      const auto reset = sigmoid(r + hr);
      const auto keep = sigmoid(z + hz);
      const auto fresh = tanh(n + reset * hn);
      tie(r, z, n, s.h) = fuse(reset, keep, fresh, fresh + keep * (s.h0 - fresh));
    } else {
      const auto both = s.input.narrow(1, 0, 2 * width);
      both.assign(sigmoid(both + s.hidden.narrow(1, 0, 2 * width)));
      n.assign(tanh(n + r * hn));
      s.h.assign(n + z * (s.h0 - n));
    }
  }
  template <class T, class D>
  static void backward(const StepOperands<T, D>& s) {
    using C = compute_t<T>;
    const int64_t width = s.h.size(1);
    const auto r = block(s.input, 0, width);
    const auto z = block(s.input, 1, width);
    const auto n = block(s.input, 2, width);
    const auto hn = block(s.hidden, 2, width);
    const auto dh = s.dh + s.more;
    const auto dn = dh * (C(1) - z) * (C(1) - n * n);
    const auto dr = dn * hn * r * (C(1) - r);
    const auto dz = dh * (s.h0 - n) * z * (C(1) - z);
    const auto to = [&](const Tensor<T, D>& x, int i) { return block(x, i, width); };
    tie(to(s.d_input, 0), to(s.d_input, 1), to(s.d_input, 2), to(s.d_hidden, 2)) =
        fuse(dr, dz, dn, dn * r);
    tie(to(s.d_hidden, 0), to(s.d_hidden, 1), s.carry_h) =
        fuse(to(s.d_input, 0), to(s.d_input, 1), dh * z);
  }
};

/// h = tanh(gate), or relu(gate) (Elman 1990).
template <bool Relu>
struct RnnSteps {
  static constexpr const char* text = "rnn";
  static constexpr int gates = 1;
  static constexpr bool has_cell = false;
  static constexpr bool is_apart = false;

  template <class T, class D>
  static void forward(const StepOperands<T, D>& s) {
    if constexpr (Relu) {
      s.h.assign(relu(s.input));
    } else {
      s.h.assign(tanh(s.input));
    }
  }
  template <class T, class D>
  static void backward(const StepOperands<T, D>& s) {
    using C = compute_t<T>;
    const auto dh = s.dh + s.more;
    if constexpr (Relu) {
      s.d_input.assign(where(s.h > C(0), dh, C(0)));
    } else {
      s.d_input.assign(dh * (C(1) - s.h * s.h));
    }
  }
};

}  // namespace weft::nn::detail
