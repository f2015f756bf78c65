// transform(dataset, f): a data set that applies a callable to the samples of another.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/data/dataset.hpp"

namespace weft::data {

namespace detail {
/// f(x...), or f(x..., generator) where f cannot be called without one.
template <class F, class... Xs>
auto call(const F& f, Generator& generator, const Xs&... xs) {
  if constexpr (std::is_invocable_v<const F&, const Xs&...>) {
    return settled(f(xs...));
  } else {
    static_assert(std::is_invocable_v<const F&, const Xs&..., Generator&>,
                  "weft: a transform is called as f(part, ...) with the parts of a sample, or as "
                  "f(part, ..., Generator&)");
    return settled(f(xs..., generator));
  }
}

/// Applies functions, one after the other, to part I of a sample and leaves the other parts.
template <std::size_t I, class... Fs>
struct OnPart {
  std::tuple<Fs...> functions;

  template <class... Xs>
  auto operator()(const std::tuple<Xs...>& sample, Generator& generator) const {
    static_assert(I < sizeof...(Xs), "weft: a sample has no part of this number");
    return [&]<std::size_t... K>(std::index_sequence<K...>) {
      return std::make_tuple(replaced<K>(std::get<K>(sample), generator)...);
    }
    (std::index_sequence_for<Xs...>{});
  }

 private:
  template <std::size_t K, class X>
  auto replaced(const X& x, Generator& generator) const {
    if constexpr (K == I) {
      return run<0>(x, generator);
    } else {
      return x;
    }
  }
  template <std::size_t N, class X>
  auto run(const X& x, Generator& generator) const {
    if constexpr (N == sizeof...(Fs)) {
      return x;
    } else {
      return run<N + 1>(call(std::get<N>(functions), generator, x), generator);
    }
  }
};

/// Calls a function with all parts of a sample.
template <class F>
struct OnSample {
  F function;

  template <class... Xs>
  auto operator()(const std::tuple<Xs...>& sample, Generator& generator) const {
    return std::apply([&](const Xs&... x) { return call(function, generator, x...); }, sample);
  }
};
}  // namespace detail

/// The data set that transform() gives; its samples are tuples.
template <Loadable D, class F>
class Transformed {
 public:
  Transformed(D dataset, F function)
      : dataset_(std::move(dataset)), function_(std::move(function)) {}

  int64_t size() const { return dataset_.size(); }
  const D& dataset() const { return dataset_; }
  auto get(int64_t i, Generator& generator) const {
    if constexpr (RandomDataset<D>) {
      return parts(function_(parts(dataset_.get(i, generator)), generator));
    } else {
      return parts(function_(parts(dataset_.get(i)), generator));
    }
  }

 private:
  D dataset_;
  F function_;
};

/// A data set whose samples are f(part, ...) of the parts of the original samples; f may take a
/// Generator& as its last argument, from which it draws the same numbers in every run, on whatever
/// thread it is called.
template <Loadable D, class F>
auto transform(D dataset, F f) {
  using On = detail::OnSample<F>;
  return Transformed<D, On>(std::move(dataset), On{std::move(f)});
}

/// The same for part I only, with the functions applied one after the other: `transform<0>(data,
/// to_float, RandomCrop{28, 28, 2})`.
template <std::size_t I, Loadable D, class... Fs>
auto transform(D dataset, Fs... functions) {
  using On = detail::OnPart<I, Fs...>;
  return Transformed<D, On>(std::move(dataset), On{{std::move(functions)...}});
}

}  // namespace weft::data
