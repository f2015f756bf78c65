// ctc_loss: connectionist temporal classification, from frames to a shorter sequence of labels.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <type_traits>

#include "weft/autograd/function.hpp"
#include "weft/cpu/elementwise/for_each.hpp"
#include "weft/nn/losses/loss.hpp"
#include "weft/ops/index/scatter.hpp"

// A path names a label or the blank in each frame; repeated labels count once and blanks not at
// all. With blanks between all labels and at both ends, 2 S + 1 states, a path stays, takes a step,
// or skips a blank between different labels. Sums over paths go frame by frame, forward for the
// loss and backward for the gradient (Graves et al. 2006), for all sequences and states in one
// statement.

namespace weft {

namespace op {

/// log(exp(a) + exp(b) + exp(c)), c where a blank may be skipped.
template <class C>
struct ctc_sum {
  WEFT_HD C operator()(C a, C b, C c, bool skips) const {
    const C third = skips ? c : -math::infinity<C>;
    const C top = math::maximum(math::maximum(a, b), third);
    if (top == -math::infinity<C>) return top;
    return top + math::log(math::exp(a - top) + math::exp(b - top) + math::exp(third - top));
  }
};

}  // namespace op

namespace autograd {

/// What the two passes read. L = 2 S + 1 states.
template <class T, class D>
struct CtcTables {
  using C = compute_t<T>;
  Tensor<int64_t, D> states;   // (N, L): the label of each
  Tensor<bool, D> skips;       // (N, L + 2): whether it is entered from two before
  Tensor<int64_t, D> frames;   // (N, 1)
  Tensor<int64_t, D> lengths;  // (N, 1): of the targets
  Tensor<C, D> logs;           // (frames, N, L): of each state's label
  Tensor<C, D> paths;   // (frames + 1, N, L + 2): of paths to a state, two columns before all
  Tensor<C, D> losses;  // (N,)

  CtcTables(const Tensor<T, D>& x, const Tensor<int64_t, D>& targets,
            const Tensor<int64_t, D>& input_lengths, const Tensor<int64_t, D>& target_lengths,
            int64_t blank) {
    const int64_t time = x.size(0), batch = x.size(1), most = targets.size(1);
    const int64_t count = 2 * most + 1;
    const D device = x.device();
    frames = input_lengths.unsqueeze(1);
    lengths = target_lengths.unsqueeze(1);
    states = full<int64_t>({batch, count}, blank, device);
    skips = zeros<bool>({batch, count + 2}, device);
    if (most > 0) {
      const Tensor<int64_t, D> place = arange<int64_t>(most, device);
      const auto labels = states(all, slice(1, count, 2));
      labels.assign(where(place < lengths, targets, blank));
      skips(all, slice(1, count, 2)).assign(place == int64_t{0});
      if (most > 1) {
        const Tensor<int64_t, D> known = labels;
        skips(all, slice(3, count, 2))
            .assign(known.narrow(1, 1, most - 1) != known.narrow(1, 0, most - 1));
      }
    }
    logs =
        cast<C>(weft::detail::gather_axis<gathering::ctc_loss>(x, states.unsqueeze(0), axis(-1)));
    // Before the first frame all paths are in the column before the first state.
    paths = full<C>({time + 1, batch, count + 2}, -math::infinity<C>, device);
    paths(0, all, 1).fill(C(0));
    for (int64_t t = 0; t < time; ++t) {
      const Tensor<C, D> before = paths(t);
      paths(t + 1, all, slice(2, count + 2))
          .assign(map(op::ctc_sum<C>{}, before.narrow(1, 2, count), before.narrow(1, 1, count),
                      before.narrow(1, 0, count), skips.narrow(1, 0, count)) +
                  logs(t));
    }
    const Tensor<int64_t, D> number = arange<int64_t>(batch, device);
    const Tensor<C, D> last = take(paths.reshape({(time + 1) * batch, count + 2}),
                                   (input_lengths * batch + number).eval(), axis(0));  // (N, L + 2)
    const auto ends = [&](int64_t from_end) {
      return weft::detail::gather_axis<gathering::ctc_loss>(
          last, (lengths * int64_t{2} + (2 - from_end)).eval(), axis(-1));
    };
    losses = -map(op::ctc_sum<C>{}, ends(0), ends(1), ends(1), zeros<bool>({batch, 1}, device))
                  .eval()
                  .squeeze(1);
  }

  /// The gradient of the log probabilities (frames, N, classes), given the losses' gradients, (N,).
  Tensor<T, D> gradient(const Tensor<T, D>& g, const Shape& shape, bool zero_infinity) const {
    const int64_t time = logs.size(0), batch = logs.size(1), count = logs.size(2);
    const D device = logs.device();
    const C none = -math::infinity<C>;
    const Tensor<int64_t, D> place = arange<int64_t>(count, device);
    const Tensor<int64_t, D> end = lengths * int64_t{2};
    const Tensor<C, D> at_end =
        where(place == end || place + int64_t{1} == end, zeros<C>({}, device), none);
    const Tensor<C, D> loss = losses.unsqueeze(1);
    const Tensor<C, D> weight = cast<C>(g).eval().unsqueeze(1);
    // Of paths from a state on, its own frame included, with two columns after the others;
    // alternately the next frame's and this one's.
    const Tensor<C, D> rest = full<C>({2, batch, count + 2}, none, device);
    const Tensor<C, D> shares = empty<C>({time, batch, count}, device);
    for (int64_t t = time - 1; t >= 0; --t) {
      const Tensor<C, D> next = rest((t + 1) % 2);
      const auto on =
          where(frames == t + 1, at_end,
                map(op::ctc_sum<C>{}, next.narrow(1, 0, count), next.narrow(1, 1, count),
                    next.narrow(1, 2, count), skips.narrow(1, 2, count)));
      const auto here = rest(t % 2)(all, slice(0, count));
      const auto share = shares(t);
      const auto from = paths(t + 1, all, slice(2, count + 2));
      if (zero_infinity) {
        const auto part = -weight * exp(from + on + loss);
        tie(share, here) = fuse(where(loss == -none || from == none, C(0), part), on + logs(t));
      } else {
        tie(share, here) =
            fuse(where(from == none && loss != -none, C(0), -weight * exp(from + on + loss)),
                 on + logs(t));
      }
    }
    const Tensor<C, D> out = zeros<C>(shape, device);
    scatter_add(out, axis(-1), states.unsqueeze(0).expand({time, batch, count}), shares);
    return cast<T>(out);
  }
};

template <class T, class D>
struct CtcRule {
  CtcTables<T, D> tables;
  bool zero_infinity;

  template <class G, class P, class X>
  void backward(const G& g, const G&, const Pack<P>& dx, const X& x) const {
    dx.head(tables.gradient(g, x.shape(), zero_infinity));
  }
};

[[gnu::noinline]] inline void check_ctc(const Shape& x, const Shape& targets, const Shape& inputs,
                                        const Shape& lengths, int64_t blank) {
  const int64_t batch = x.rank() == 3 ? x[1] : -1;
  if (x.rank() != 3 || targets.rank() != 2 || targets[0] != batch || !(inputs == Shape{batch}) ||
      !(lengths == Shape{batch})) {
    fail<ShapeError>("ctc_loss", "logarithms of shape ", x, ", targets of shape ", targets,
                     ", input lengths of ", inputs, " and target lengths of ", lengths,
                     ", expected (time, batch, classes), (batch, longest), (batch,) and (batch,)");
  }
  if (blank < 0 || blank >= x[2]) {
    fail<IndexError>("ctc_loss", "blank ", blank, " of ", x[2], " classes");
  }
}
/// On the CPU; elsewhere lengths beyond the ends are found where they gather.
inline void check_ctc_lengths(const char* what, const Tensor<int64_t, Cpu>& lengths, int64_t most) {
  for (const int64_t n : lengths.to_vector()) {
    if (n < 0 || n > most) {
      fail<ValueError>("ctc_loss", what, " ", n, ", expected 0 to ", most);
    }
  }
}
}  // namespace autograd

namespace nn {

struct CtcOptions {
  int64_t blank = 0;
  bool zero_infinity = false;  ///< targets too long for their frames count as a loss of 0
};

/// For each sequence the negative logarithm of the probability that its frames spell its target:
/// logarithms of probabilities (time, batch, classes), as log_softmax gives them, labels (batch,
/// longest) that are not the blank, and how many frames and labels each sequence has, (batch,)
/// each. The mean divides each loss by its target's length, of at least 1, first.
template <ExpressionLike X, class D, class R = reduce::Mean>
auto ctc_loss(const X& e, const Tensor<int64_t, D>& targets,
              const Tensor<int64_t, D>& input_lengths, const Tensor<int64_t, D>& target_lengths,
              const CtcOptions& options = {}, R reduction = {}) {
  using V = decltype(Var(e));
  using T = typename V::value_type;
  using C = compute_t<T>;
  const V x = e;
  autograd::check_ctc(x.shape(), targets.shape(), input_lengths.shape(), target_lengths.shape(),
                      options.blank);
  if constexpr (!is_cuda<D>) {
    autograd::check_ctc_lengths("an input length of", input_lengths, x.size(0));
    autograd::check_ctc_lengths("a target length of", target_lengths, targets.size(1));
  }
  const autograd::CtcRule<T, D> rule{
      {x.value(), targets, input_lengths, target_lengths, options.blank}, options.zero_infinity};
  const auto& found = rule.tables.losses;
  const Tensor<T, D> y = cast<T>(where(
      found == (options.zero_infinity ? math::infinity<C> : -math::infinity<C>), C(0), found));
  const V losses = autograd::computed("ctc_loss", rule, y, x);
  if constexpr (std::is_same_v<R, reduce::Mean>) {
    const Tensor<T, D> lengths = cast<T>(maximum(target_lengths, int64_t{1}));
    return V(mean(losses / lengths));
  } else {
    return detail::reduced(losses, reduction);
  }
}

}  // namespace nn

}  // namespace weft
