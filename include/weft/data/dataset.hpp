// Dataset: what a DataLoader reads; TensorDataset, Subset and random_split.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cmath>

#include "weft/cpu/parallel.hpp"
#include "weft/data/collate.hpp"
#include "weft/ops/index/gather.hpp"
#include "weft/ops/random/permutation.hpp"
#include "weft/tensor/from_values.hpp"

namespace weft::data {

/// Has size() samples; get(i) returns sample i. Both may be called from several threads at once.
template <class D>
concept Dataset = requires(const D& dataset, int64_t i) {
  { dataset.size() } -> std::convertible_to<int64_t>;
  dataset.get(i);
};

/// A data set with random samples: what get(i, generator) draws depends only on the generator.
template <class D>
concept RandomDataset = requires(const D& dataset, int64_t i, Generator& generator) {
  { dataset.size() } -> std::convertible_to<int64_t>;
  dataset.get(i, generator);
};

/// A data set that builds the tuple of a batch's tensors itself, because that is faster than sample
/// by sample, or because its samples differ in shape.
template <class D>
concept BatchedDataset = requires(const D& dataset, const int64_t* indices, HostMemory memory) {
  { dataset.size() } -> std::convertible_to<int64_t>;
  dataset.batch(indices, int64_t{}, memory);
};

/// What a DataLoader can read.
template <class D>
concept Loadable = Dataset<D> || RandomDataset<D> || BatchedDataset<D>;

namespace detail {
inline void check_index(const char* operation, int64_t i, int64_t size) {
  if (i < 0 || i >= size) {
    fail<IndexError>(operation, "sample ", i, " of ", size, ", expected 0 to ", size - 1);
  }
}

/// Rows of x, one for each index, as a new tensor.
template <class T>
Tensor<std::remove_const_t<T>, Cpu> rows(const Tensor<T, Cpu>& x, const int64_t* indices,
                                         int64_t count, HostMemory memory) {
  using U = std::remove_const_t<T>;
  Shape shape = x.shape();
  shape[0] = count;
  auto out = memory.empty<U>(shape);
  const int64_t size = x.size(0) > 0 ? x.size() / x.size(0) : 0;
  const auto bytes = static_cast<std::size_t>(size) * sizeof(U);
  if (bytes == 0) return out;
  cpu::parallel(count, count * size, [&](int64_t first, int64_t last) {
    for (int64_t i = first; i < last; ++i) {
      std::memcpy(out.data() + i * size, x.data() + indices[i] * size, bytes);
    }
  });
  return out;
}
/// The same on a GPU: one kernel, which reads the indices there.
template <class T, class D>
auto rows(const Tensor<T, D>& x, const int64_t* indices, int64_t count, HostMemory memory) {
  auto host = memory.empty<int64_t>({count});
  std::memcpy(host.data(), indices, static_cast<std::size_t>(count) * sizeof(int64_t));
  const auto there = host.to(x.device(), {.non_blocking = true});
  return Tensor<std::remove_const_t<T>, D>(index_select(x, there, axis(0)));
}
}  // namespace detail

/// Tensors with one row per sample, on any device; a batch is one copy of rows per tensor.
template <TensorLike... Xs>
class TensorDataset {
 public:
  explicit TensorDataset(const Xs&... xs) : tensors_(xs.contiguous()...) {
    static_assert(sizeof...(Xs) > 0, "weft: a TensorDataset has at least one tensor");
    bool first = true;
    const auto check = [&](const auto& x) {
      if (x.rank() == 0) {
        fail<ShapeError>("TensorDataset", "a tensor of rank 0, expected one row a sample");
      }
      if (!first && x.size(0) != size_) {
        fail<ShapeError>("TensorDataset", "tensors of ", size_, " and of ", x.size(0),
                         " rows, expected as many in each");
      }
      size_ = x.size(0);
      first = false;
    };
    (check(xs), ...);
  }

  int64_t size() const { return size_; }
  const std::tuple<Xs...>& tensors() const { return tensors_; }
  /// Views of row i of each tensor.
  std::tuple<Xs...> get(int64_t i) const {
    detail::check_index("TensorDataset::get", i, size_);
    return std::apply([&](const Xs&... x) { return std::tuple<Xs...>(x(i)...); }, tensors_);
  }
  /// New tensors of these rows, whose indices must be right.
  auto batch(const int64_t* indices, int64_t count, HostMemory memory = {}) const {
    return std::apply(
        [&](const Xs&... x) { return std::tuple(detail::rows(x, indices, count, memory)...); },
        tensors_);
  }

 private:
  std::tuple<Xs...> tensors_;
  int64_t size_ = 0;
};

/// The samples of a data set at the given indices, in that order.
template <Loadable D>
class Subset {
 public:
  /// Throws IndexError if an index is not one of the data set's.
  Subset(D dataset, const Tensor<int64_t, Cpu>& indices)
      : dataset_(std::move(dataset)), indices_(indices.contiguous()) {
    if (indices_.rank() != 1) {
      fail<ShapeError>("Subset", "indices of shape ", indices_.shape(), ", expected one axis");
    }
    for (int64_t i = 0; i < size(); ++i) detail::check_index("Subset", at(i), dataset_.size());
  }
  Subset(D dataset, const std::vector<int64_t>& indices)
      : Subset(std::move(dataset), tensor(indices)) {}

  int64_t size() const { return indices_.size(); }
  const D& dataset() const { return dataset_; }
  const Tensor<int64_t, Cpu>& indices() const { return indices_; }

  auto get(int64_t i) const requires Dataset<D> {
    detail::check_index("Subset::get", i, size());
    return dataset_.get(at(i));
  }
  auto get(int64_t i, Generator& generator) const requires RandomDataset<D> {
    detail::check_index("Subset::get", i, size());
    return dataset_.get(at(i), generator);
  }
  auto batch(const int64_t* indices, int64_t count,
             HostMemory memory = {}) const requires BatchedDataset<D> {
    std::vector<int64_t> inner(indices, indices + count);
    for (int64_t& i : inner) i = at(i);
    return dataset_.batch(inner.data(), count, memory);
  }

 private:
  int64_t at(int64_t i) const { return indices_.data()[i]; }

  D dataset_;
  Tensor<int64_t, Cpu> indices_;
};

/// The data set split at random into parts that share no sample: `auto [train, test] =
/// random_split(data, {0.9, 0.1})` by fractions that sum to 1 (the remainder from rounding goes to
/// the first part), or `random_split(data, {900, 100})` by sizes that sum to the data set's.
template <Loadable D, class N, std::size_t Parts>
std::array<Subset<D>, Parts> random_split(const D& dataset, const N (&parts)[Parts],
                                          Generator& generator = default_generator()) {
  const int64_t n = dataset.size();
  std::array<int64_t, Parts> sizes;
  double sum = 0;
  int64_t left = n;
  for (std::size_t i = 0; i < Parts; ++i) {
    const auto part = static_cast<double>(parts[i]);
    if (!(part >= 0)) fail<ValueError>("random_split", "a part of ", part, ", expected at least 0");
    sizes[i] = std::is_floating_point_v<N>
                   ? static_cast<int64_t>(std::floor(part * static_cast<double>(n)))
                   : static_cast<int64_t>(parts[i]);
    sum += part;
    left -= sizes[i];
  }
  if (std::is_floating_point_v<N>) {
    if (std::abs(sum - 1) > 1e-6) {
      fail<ValueError>("random_split", "fractions that add up to ", sum, ", expected 1");
    }
    sizes[0] += left;
  } else if (left != 0) {
    fail<ValueError>("random_split", "parts of ", n - left, " samples in all, expected ", n);
  }
  const Tensor<int64_t> order = permutation(n, Cpu{}, generator);
  int64_t start = 0;
  return [&]<std::size_t... I>(std::index_sequence<I...>) {
    const auto next = [&](int64_t size) {
      start += size;
      return Subset<D>(dataset, order.narrow(0, start - size, size));
    };
    return std::array<Subset<D>, Parts>{next(sizes[I])...};
  }
  (std::make_index_sequence<Parts>{});
}

WEFT_MODEL(Dataset<TensorDataset<Tensor<float>>>&& BatchedDataset<TensorDataset<Tensor<float>>>);
WEFT_MODEL(Dataset<Subset<TensorDataset<Tensor<float>>>>);

}  // namespace weft::data
