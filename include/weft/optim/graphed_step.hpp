// GraphedStep: a training step that runs as one recorded graph on a GPU, and unchanged on the CPU.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tuple>
#include <vector>

#include "weft/autograd/var.hpp"
#include "weft/core/recorder.hpp"
#include "weft/ops/conv/memory_format.hpp"
#include "weft/tensor/any_tensor.hpp"

namespace weft::optim {

namespace detail {
/// The values of a step's result: a tensor, a Var or an expression, or a tuple of these.
template <class X>
auto values_of(const X& x) {
  if constexpr (TensorLike<X>) {
    return x;
  } else if constexpr (weft::detail::is_var<X>) {
    return x.value();
  } else if constexpr (ExpressionLike<X>) {
    return values_of(x.eval());
  } else {
    constexpr bool tuple = requires { std::tuple_size<X>::value; };
    static_assert(tuple,
                  "weft: a step of GraphedStep gives nothing, a tensor, or std::tuple(...) of "
                  "tensors: a number would keep its value from the recording");
    if constexpr (tuple) {
      return std::apply([](const auto&... each) { return std::tuple(values_of(each)...); }, x);
    }
  }
}

/// Calls f with each tensor that a step gives.
template <class T, class D, class F>
void for_each_value(Tensor<T, D>& x, const F& f) {
  f(x);
}
template <class... Xs, class F>
void for_each_value(std::tuple<Xs...>& all, const F& f) {
  std::apply([&](auto&... x) { (for_each_value(x, f), ...); }, all);
}

/// What device D keeps of a recorded function; nothing on the CPU.
template <class D>
struct RecordingOf {
  using type = Pack<>;
};
template <class D>
  requires is_cuda<D>
struct RecordingOf<D> {
  using Records = Recorder<weft::detail::loops_of<D>>;
  static_assert(weft::detail::Complete<Records>,
                "weft: to record a step on Cuda include <weft/cuda.hpp>");
  using type = typename Records::Recording;
};
}  // namespace detail

struct GraphedStepOptions {
  int warm_up = 2;  ///< this many calls run statement by statement, before one is recorded
};

/// A function of tensors, all of a training step for instance, which a GPU runs with one launch:
///   optim::GraphedStep step(device, [&](const auto& x, const auto& y) {
///     optimizer.zero_grad();
///     const Var loss = cross_entropy(net(x), y);
///     loss.backward();
///     optimizer.step();
///     return loss;
///   });
///   for (auto [x, y] : batches) total += step(x, y);
/// Each call is one step. The first ones run as they are; then the function's statements are
/// recorded, and each call copies its arguments to where they read them and replays them. Random
/// numbers and the optimizer's count go on, and set_lr() between calls is seen; what the function
/// does on the host, other numbers and options keep their recorded values. On the CPU the function
/// is called each time, so that programs are the same.
template <class D, class F>
class GraphedStep {
 public:
  using Recording = typename detail::RecordingOf<D>::type;

  GraphedStep(D device, F f, GraphedStepOptions options = {})
      : device_(device), f_(static_cast<F&&>(f)), options_(options) {}

  /// Runs one step and returns the function's result, as tensors without gradients that belong to
  /// the caller. Arguments are tensors or expressions with the same shapes and types in each call.
  template <class... Xs>
  auto operator()(const Xs&... xs) {
    constexpr bool expressions = (ExpressionLike<Xs> && ...);
    static_assert(expressions,
                  "weft: the arguments of a GraphedStep are tensors: write full({}, v, device) for "
                  "a number, which would keep its value from the recording");
    if constexpr (expressions) return step(std::index_sequence_for<Xs...>{}, xs...);
  }

  /// Whether the next call replays a recording; never on the CPU.
  bool is_recorded() const { return is_recorded_; }
  /// On CUDA, the graph, which reports its number of kernels and its memory.
  const Recording& recording() const { return recording_; }
  /// Discards the recording and the shapes of the arguments: call it after changing options or
  /// modes.
  void reset() {
    calls_ = 0;
    is_recorded_ = false;
    values_.clear();
    recording_ = Recording();
  }

 private:
  template <std::size_t... I, class... Xs>
  auto step(std::index_sequence<I...>, const Xs&... xs) {
    if (calls_ == 0) types_ = {Type{dtype_of<typename Xs::value_type>, xs.shape()}...};
    if (sizeof...(Xs) != types_.size()) {
      fail<ValueError>("GraphedStep", sizeof...(Xs), " arguments, expected ", types_.size(),
                       " as in the first call");
    }
    (check(I, dtype_of<typename Xs::value_type>, xs.shape()), ...);
    if constexpr (is_cuda<D>) {
      if (calls_ == 0) {
        arguments_ = {AnyTensor(weft::detail::allocate_format<typename Xs::value_type>(
            xs.shape(), device_, lies_last(xs)))...};
      }
      (argument<Xs>(I).assign(xs), ...);
      return recorded([&] { return values(argument<Xs>(I)...); });
    } else {
      ++calls_;
      return values(Tensor<typename Xs::value_type, D>(xs)...);
    }
  }

  /// What f gives, as a tensor, a tuple of tensors, or an empty tuple.
  template <class... Ts>
  auto values(const Tensor<Ts, D>&... xs) {
    if constexpr (std::is_void_v<decltype(f_(xs...))>) {
      f_(xs...);
      return std::tuple();
    } else {
      return detail::values_of(f_(xs...));
    }
  }

  template <class Run>
  auto recorded(const Run& run) {
    using Values = decltype(run());
    if (calls_ < options_.warm_up) {
      ++calls_;
      return run();
    }
    if (!is_recorded_) {
      Values values;
      recording_ = Recorder<weft::detail::loops_of<D>>::record([&] { values = run(); }, device_);
      detail::for_each_value(values, [&](const auto& x) { values_.push_back(x); });
      is_recorded_ = true;
    }
    recording_.replay();
    Values out;
    std::size_t i = 0;
    detail::for_each_value(
        out, [&]<class T>(Tensor<T, D>& x) { x = values_[i++].template get<T, D>().clone(); });
    return out;
  }

  /// Whether an argument is in channels-last format; the recorded place then has it too.
  template <class X>
  static bool lies_last(const X& x) {
    if constexpr (TensorLike<X>) return is_channels_last(x);
    return false;
  }

  struct Type {
    Dtype dtype;
    Shape shape;
  };
  void check(std::size_t i, Dtype dtype, const Shape& shape) const {
    if (dtype == types_[i].dtype && shape == types_[i].shape) return;
    fail<ValueError>("GraphedStep", "argument ", i, " is ", dtype, " of shape ", shape,
                     ", expected ", types_[i].dtype, " of shape ", types_[i].shape,
                     " as in the first call: leave the odd batch out (drop_last), run it without "
                     "GraphedStep, or reset()");
  }
  template <class X>
  Tensor<typename X::value_type, D> argument(std::size_t i) const {
    return arguments_[i].template get<typename X::value_type, D>();
  }

  D device_;
  F f_;
  GraphedStepOptions options_;
  int calls_ = 0;
  bool is_recorded_ = false;
  std::vector<Type> types_;           // of the arguments
  std::vector<AnyTensor> arguments_;  // where the recording reads them
  std::vector<AnyTensor> values_;     // and where it leaves what f gives
  Recording recording_;
};

}  // namespace weft::optim
