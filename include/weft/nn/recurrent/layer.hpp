// One recurrent layer in one direction, over all steps, with its gradients through time.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/autograd/attention/attention.hpp"
#include "weft/autograd/shape/movement.hpp"
#include "weft/nn/recurrent/recurrence.hpp"

namespace weft::nn::detail {

/// The weights of one direction of one layer; absent ones are empty.
template <class V>
struct RecurrentWeights {
  V ih;       // (gates * width, in)
  V hh;       // (gates * width, out)
  V bias_ih;  // (gates * width,)
  V bias_hh;  // the same
  V hr;       // (out, width), where states are projected
};

/// How the states go from step to step.
template <class D>
struct RecurrentPath {
  bool reverse = false;
  Tensor<bool, D> inside;  // (time, batch, 1): steps before a sequence's end; empty for all
};

/// All states, and what the backward pass needs: a layer's steps on tensors.
template <class Steps, class T, class D>
struct Recurrence {
  RecurrentPath<D> path;
  Tensor<T, D> input;   // (time, batch, gates * width)
  Tensor<T, D> hidden;  // the same, where they are apart
  Tensor<T, D> wide;    // (time, batch, width), before a projection

  static bool is_there(const Tensor<T, D>& x) { return x.size() > 0; }
  int64_t time() const { return input.size(0); }
  int64_t batch() const { return input.size(1); }
  int64_t width() const { return input.size(2) / Steps::gates; }
  /// Step number s in the order in which they are computed.
  int64_t at(int64_t s) const { return path.reverse ? time() - 1 - s : s; }

  /// The outputs and the cells' states, one after the other in one block of memory.
  Tensor<T, D> states(const Tensor<T, D>& y, int64_t out) const {
    return y.narrow(0, 0, time() * batch() * out).reshape({time(), batch(), out});
  }
  Tensor<T, D> cells(const Tensor<T, D>& y, int64_t out) const {
    if constexpr (!Steps::has_cell) return Tensor<T, D>();
    return y.narrow(0, time() * batch() * out, time() * batch() * width())
        .reshape({time(), batch(), width()});
  }

  Tensor<T, D> forward(const Tensor<T, D>& x, const RecurrentWeights<Tensor<T, D>>& w,
                       const Tensor<T, D>& h0, const Tensor<T, D>& c0) {
    const bool turned = !x.is_contiguous() && x.transpose(0, 1).is_contiguous();
    const Tensor<T, D> rows = turned ? x.transpose(0, 1) : x;
    if (!is_there(w.bias_ih)) {
      input = linear(rows, w.ih);
    } else if (Steps::is_apart) {
      input = linear(rows, w.ih, w.bias_ih);
    } else {
      const Tensor<T, D> bias = w.bias_ih + w.bias_hh;
      input = linear(rows, w.ih, bias);
    }
    if (turned) input = input.transpose(0, 1);
    const int64_t out = w.hh.size(1);
    const bool projects = is_there(w.hr);
    const int64_t kept = out + (Steps::has_cell ? width() : 0);
    const Tensor<T, D> y = empty<T>({time() * batch() * kept}, x.device());
    const Tensor<T, D> hs = states(y, out);
    const Tensor<T, D> cs = cells(y, out);
    if (Steps::is_apart) hidden = empty<T>({time(), batch(), input.size(2)}, x.device());
    if (projects) wide = empty<T>({time(), batch(), width()}, x.device());
    for (int64_t s = 0; s < time(); ++s) {
      StepOperands<T, D> o;
      const int64_t t = at(s);
      o.input = input(t);
      o.h0 = s == 0 ? h0 : hs(at(s - 1));
      o.h = projects ? wide(t) : hs(t);
      if constexpr (Steps::has_cell) {
        o.c0 = s == 0 ? c0 : cs(at(s - 1));
        o.c = cs(t);
      }
      if constexpr (Steps::is_apart) {
        o.hidden = hidden(t);
        if (is_there(w.bias_hh)) {
          o.hidden.assign(linear(o.h0, w.hh, w.bias_hh));
        } else {
          o.hidden.assign(linear(o.h0, w.hh));
        }
      } else {
        o.input.assign(matmul(o.h0, w.hh.t()) + o.input);
      }
      Steps::forward(o);
      if (projects) hs(t).assign(matmul(o.h, w.hr.t()));
      if (path.inside.size() > 0) {
        const Tensor<bool, D> inside = path.inside(t);
        hs(t).assign(where(inside, hs(t), o.h0));
        if constexpr (Steps::has_cell) o.c.assign(where(inside, o.c, o.c0));
      }
    }
    return y;
  }

  /// The gradients of all that forward() took.
  struct Gradients {
    Tensor<T, D> x;
    RecurrentWeights<Tensor<T, D>> w;
    Tensor<T, D> h0;
    Tensor<T, D> c0;
  };

  Gradients backward(const Tensor<T, D>& g, const Tensor<T, D>& y, const Tensor<T, D>& x,
                     const RecurrentWeights<Tensor<T, D>>& w, const Tensor<T, D>& h0,
                     const Tensor<T, D>& c0) const {
    using C = compute_t<T>;
    const D device = x.device();
    const int64_t out = w.hh.size(1);
    const bool projects = is_there(w.hr);
    const Tensor<T, D> hs = states(y, out);
    const Tensor<T, D> cs = cells(y, out);
    const Tensor<T, D> dhs = states(g, out);
    const Tensor<T, D> dcs = cells(g, out);
    const Shape all_gates{time(), batch(), input.size(2)};
    const Tensor<T, D> d_input = empty<T>(all_gates, device);
    const Tensor<T, D> d_hidden = Steps::is_apart ? empty<T>(all_gates, device) : d_input;
    const Tensor<T, D> carry = zeros<T>({batch(), out}, device);
    const Tensor<T, D> carry_c = zeros<T>({batch(), width()}, device);
    const Tensor<T, D> nothing = zeros<T>({batch(), width()}, device);
    Gradients d;
    d.w.hh = zeros<T>(w.hh.shape(), device);
    if (projects) d.w.hr = zeros<T>(w.hr.shape(), device);
    for (int64_t s = time() - 1; s >= 0; --s) {
      StepOperands<T, D> o;
      const int64_t t = at(s);
      o.input = input(t);
      if constexpr (Steps::is_apart) o.hidden = hidden(t);
      o.h0 = s == 0 ? h0 : hs(at(s - 1));
      o.h = projects ? wide(t) : hs(t);
      if constexpr (Steps::has_cell) {
        o.c0 = s == 0 ? c0 : cs(at(s - 1));
        o.c = cs(t);
        o.dc = dcs(t);
        o.carry_c = carry_c;
      }
      const bool masked = path.inside.size() > 0;
      // What bypasses a step after a sequence's end.
      Tensor<T, D> past;
      Tensor<T, D> past_c;
      if (masked) {
        past = dhs(t) + carry;
        if constexpr (Steps::has_cell) past_c = carry_c + o.dc;
      }
      if (projects) {
        Tensor<T, D> total = dhs(t) + carry;  // (batch, out)
        if (masked) total = where(path.inside(t), total, C(0));
        o.dh = matmul(total, w.hr);
        o.more = nothing;
        d.w.hr.assign(matmul(total.t(), o.h) + d.w.hr);
      } else {
        o.dh = dhs(t);
        o.more = carry;
      }
      o.d_input = d_input(t);
      if constexpr (Steps::is_apart) {
        o.d_hidden = d_hidden(t);
        o.carry_h = carry;
      }
      Steps::backward(o);
      if (masked) {
        const Tensor<bool, D> inside = path.inside(t);
        o.d_input.assign(where(inside, o.d_input, C(0)));
        if constexpr (Steps::is_apart) {
          o.d_hidden.assign(where(inside, o.d_hidden, C(0)));
          carry.assign(where(inside, carry, C(0)));
        }
        if constexpr (Steps::has_cell) carry_c.assign(where(inside, carry_c, past_c));
      }
      if constexpr (Steps::is_apart) {
        carry.assign(matmul(o.d_hidden, w.hh) + carry);
      } else {
        carry.assign(matmul(o.d_input, w.hh));
      }
      if (masked) carry.assign(where(path.inside(t), carry, past));
    }
    const auto rows = [](const Tensor<T, D>& v) { return v.reshape({-1, v.size(-1)}); };
    d.x = matmul(rows(d_input), w.ih).eval().reshape({time(), batch(), w.ih.size(1)});
    d.w.ih = matmul(rows(d_input).t(), rows(x));
    d.w.hh.assign(matmul(d_hidden(at(0)).t(), h0));
    if (time() > 1) {
      const int64_t first = path.reverse ? 0 : 1;
      const Tensor<T, D> later = d_hidden.narrow(0, first, time() - 1);
      const Tensor<T, D> before = hs.narrow(0, 1 - first, time() - 1);
      d.w.hh.assign(matmul(rows(later).t(), rows(before)) + d.w.hh);
    }
    if (is_there(w.bias_ih)) {
      d.w.bias_ih = sum(d_input, axis(0, 1));
      d.w.bias_hh = Steps::is_apart ? Tensor<T, D>(sum(d_hidden, axis(0, 1))) : d.w.bias_ih.clone();
    }
    d.h0 = carry;
    d.c0 = carry_c;
    return d;
  }
};

template <class Steps, class T, class D>
struct RecurrentRule {
  Recurrence<Steps, T, D> run;

  template <class X, class... Ps>
  void backward(const X& g, const X& y, const Pack<Ps...>& to, const X& x, const X& ih, const X& hh,
                const X& bias_ih, const X& bias_hh, const X& hr, const X& h0, const X& c0) const {
    auto d = run.backward(g, y, x, {ih, hh, bias_ih, bias_hh, hr}, h0, c0);
    autograd::give(get<0>(to), d.x);
    autograd::give(get<1>(to), d.w.ih);
    autograd::give(get<2>(to), d.w.hh);
    autograd::give(get<3>(to), d.w.bias_ih);
    autograd::give(get<4>(to), d.w.bias_hh);
    autograd::give(get<5>(to), d.w.hr);
    autograd::give(get<6>(to), d.h0);
    autograd::give(get<7>(to), d.c0);
  }
};

/// A layer's results: all outputs, and the states after the last step.
template <class T, class D>
struct RecurrentStates {
  Var<T, D> outputs;  // (time, batch, out)
  Var<T, D> h;        // (batch, out)
  Var<T, D> c;        // (batch, width)
};

/// Runs over x of shape (time, batch, in), from h0 and c0.
template <class Steps, class T, class D>
RecurrentStates<T, D> run_layer(const Var<T, D>& x, const RecurrentWeights<Var<T, D>>& w,
                                const Var<T, D>& h0, const Var<T, D>& c0,
                                const RecurrentPath<D>& path) {
  RecurrentRule<Steps, T, D> rule{{path, {}, {}, {}}};
  auto& run = rule.run;
  const Tensor<T, D> y = run.forward(
      x.value(), {w.ih.value(), w.hh.value(), w.bias_ih.value(), w.bias_hh.value(), w.hr.value()},
      h0.value(), c0.value());
  const Var<T, D> all =
      autograd::computed(Steps::text, rule, y, x, w.ih, w.hh, w.bias_ih, w.bias_hh, w.hr, h0, c0);
  const int64_t out = w.hh.size(1);
  const int64_t count = run.time() * run.batch() * out;
  const int64_t last = run.at(run.time() - 1);
  RecurrentStates<T, D> states;
  const Shape shape{run.time(), run.batch(), out};
  if constexpr (Steps::has_cell) {
    states.outputs = all.narrow(0, 0, count).reshape(shape);
    states.c = all.narrow(0, count + last * run.batch() * run.width(), run.batch() * run.width())
                   .reshape({run.batch(), run.width()});
  } else {
    states.outputs = all.reshape(shape);
  }
  states.h = states.outputs(last);
  if (path.inside.size() > 0) {
    states.outputs = where(path.inside, states.outputs, compute_t<T>(0));
  }
  return states;
}

}  // namespace weft::nn::detail
