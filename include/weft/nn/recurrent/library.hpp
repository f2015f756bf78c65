// All layers of a recurrent network in one library call, where the library supports them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "weft/autograd/shape/join.hpp"
#include "weft/nn/recurrent/layer.hpp"
#include "weft/ops/linalg/recurrent.hpp"

#if defined(WEFT_CUDNN)
#include "weft/cuda/linalg/cudnn_rnn.hpp"
#endif

namespace weft::nn::detail {

/// The executor whose library computes recurrent layers on D.
template <class D>
using RecurrentRunner = std::conditional_t<is_cuda<D>, Cuda, D>;
template <class D>
constexpr bool has_recurrent_library() {
  return requires { sizeof(RecurrentLibrary<RecurrentRunner<D>>); };
}

/// The cell of weft's own steps.
template <class Steps>
constexpr RecurrentCellKind recurrent_cell() {
  if (std::is_same_v<Steps, LstmSteps>) return RecurrentCellKind::lstm;
  if (std::is_same_v<Steps, GruSteps>) return RecurrentCellKind::gru;
  return std::is_same_v<Steps, RnnSteps<true>> ? RecurrentCellKind::rnn_relu
                                               : RecurrentCellKind::rnn_tanh;
}

/// y, h and c in one array, each from a multiple of 64 elements on.
struct RecurrentResultPlaces {
  Shape y;
  Shape h;
  Shape c;

  explicit RecurrentResultPlaces(const RecurrentProblem& p)
      : y{p.time, p.batch, p.directions * p.out}, h{p.layers * p.directions, p.batch, p.out}, c{0} {
    if (p.cell == RecurrentCellKind::lstm) c = Shape{p.layers * p.directions, p.batch, p.width};
  }
  static int64_t rounded(const Shape& s) { return (s.size() + 63) / 64 * 64; }
  int64_t size() const { return rounded(y) + rounded(h) + c.size(); }
  template <class X>
  X part(const X& all, int which) const {
    const Shape& shape = which == 0 ? y : which == 1 ? h : c;
    const int64_t first = which == 0 ? 0 : rounded(y) + (which == 1 ? 0 : rounded(h));
    return all.narrow(0, first, shape.size()).reshape(shape);
  }
};

template <class T, class D>
struct LibraryRule {
  RecurrentProblem problem;
  mutable Tensor<std::uint8_t, D> kept = {};  // for one backward pass

  using Arrays = RecurrentArrays<T, D>;
  using Library = RecurrentLibrary<RecurrentRunner<D>>;

  Arrays arrays(const Tensor<T, D>& x, const Tensor<T, D>& weights, const Tensor<T, D>& h0,
                const Tensor<T, D>& c0, const Tensor<T, D>& all) const {
    const RecurrentResultPlaces places(problem);
    const auto dense = [](const Tensor<T, D>& v) { return v.size() > 0 ? v.contiguous() : v; };
    return {
        dense(x),           weights, dense(h0), dense(c0), places.part(all, 0), places.part(all, 1),
        places.part(all, 2)};
  }
  void forward(const Arrays& at) const { Library::forward(problem, at, kept); }

  template <class... Ps>
  void backward(const Tensor<T, D>& g, const Tensor<T, D>& all, const Pack<Ps...>& to,
                const Tensor<T, D>& x, const Tensor<T, D>& weights, const Tensor<T, D>& h0,
                const Tensor<T, D>& c0) const {
    const D device = x.device();
    const Arrays of = arrays(x, weights, h0, c0, all);
    if (kept.size() == 0) {  // once more: cuDNN writes over what it had kept
      const Tensor<T, D> again = empty<T>(all.shape(), device);
      forward(arrays(x, weights, h0, c0, again));
    }
    const Tensor<T, D> gradient = g.contiguous();
    const Arrays from = arrays({}, {}, {}, {}, gradient);
    Arrays d;
    d.x = empty<T>(x.shape(), device);
    d.weights = empty<T>(weights.shape(), device);
    d.h0 = empty<T>(h0.shape(), device);
    d.c0 = empty<T>(c0.shape(), device);
    Library::backward(problem, of, kept, from, d);
    kept = {};
    autograd::give(get<0>(to), d.x);
    autograd::give(get<1>(to), d.weights);
    autograd::give(get<2>(to), d.h0);
    autograd::give(get<3>(to), d.c0);
  }
};

/// Outputs and last states of all layers; empty where the library does not take them. The order of
/// the weights is layer 0, layer 0 backwards, layer 1 and so on.
template <class T, class D>
RecurrentStates<T, D> run_library(RecurrentProblem p, const Var<T, D>& x,
                                  const std::vector<Var<T, D>>& weights, const Var<T, D>& h0,
                                  const Var<T, D>& c0) {
  RecurrentStates<T, D> states;
  if constexpr (has_recurrent_library<D>()) {
    const D device = x.device();
    RecurrentWeightSpace space;
    if (!RecurrentLibrary<RecurrentRunner<D>>::template place<T>(p, device, space)) return states;
    std::vector<std::size_t> order(weights.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::sort(order.begin(), order.end(),
              [&](std::size_t a, std::size_t b) { return space.first[a] < space.first[b]; });
    std::vector<Var<T, D>> parts;
    int64_t end = 0;
    const auto fill_to = [&](int64_t first) {
      if (first > end) parts.push_back(Var<T, D>(zeros<T>({first - end}, device)));
      end = first;
    };
    for (const std::size_t i : order) {
      fill_to(space.first[i]);
      parts.push_back(weights[i].reshape({-1}));
      end += weights[i].size();
    }
    fill_to(space.count);
    const Var<T, D> packed = cat(parts, axis(0));
    p.records = is_grad_enabled() && (x.requires_grad() || packed.requires_grad() ||
                                      h0.requires_grad() || c0.requires_grad());
    const RecurrentResultPlaces places(p);
    const Tensor<T, D> all = empty<T>({places.size()}, device);
    LibraryRule<T, D> rule{p};
    rule.forward(rule.arrays(x.value(), packed.value(), h0.value(), c0.value(), all));
    const Var<T, D> result = autograd::computed(p.operation, rule, all, x, packed, h0, c0);
    states.outputs = places.part(result, 0);
    states.h = places.part(result, 1);
    if (p.cell == RecurrentCellKind::lstm) states.c = places.part(result, 2);
  }
  return states;
}

}  // namespace weft::nn::detail
