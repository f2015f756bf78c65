// DistributedSampler: each rank's share of a data set, different in each epoch.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "weft/data/dataset.hpp"
#include "weft/dist/group.hpp"

namespace weft::dist {

struct SamplerOptions {
  bool shuffle = true;
  std::uint64_t seed = 0;  ///< the same on all ranks
  bool drop_last = false;  ///< leaves samples out where they do not divide; else some come twice
};

/// A rank's share of a data set; its samples are numbered from 0.
template <data::Loadable D>
class Share {
 public:
  Share(D dataset, std::shared_ptr<const std::vector<int64_t>> numbers)
      : dataset_(std::move(dataset)), numbers_(std::move(numbers)) {}

  int64_t size() const { return static_cast<int64_t>(numbers_->size()); }
  auto get(int64_t i) const requires data::Dataset<D> { return dataset_.get(at(i)); }
  auto get(int64_t i, Generator& generator) const requires data::RandomDataset<D> {
    return dataset_.get(at(i), generator);
  }
  auto batch(const int64_t* indices, int64_t count,
             data::HostMemory memory = {}) const requires data::BatchedDataset<D> {
    std::vector<int64_t> inner(indices, indices + count);
    for (int64_t& i : inner) i = at(i);
    return dataset_.batch(inner.data(), count, memory);
  }

 private:
  int64_t at(int64_t i) const {
    if (i < 0 || i >= size()) fail<IndexError>("Share::get", "sample ", i, " of ", size());
    return (*numbers_)[static_cast<std::size_t>(i)];
  }

  D dataset_;
  std::shared_ptr<const std::vector<int64_t>> numbers_;
};

/// The indices of the samples, out of n, that a rank uses: every size-th one in an order determined
/// by seed and epoch. All ranks have the same number of samples.
///   dist::DistributedSampler sampler(samples.size(), world);
///   data::DataLoader loader(sampler.share(samples), {.batch_size = 64});  // without shuffle
///   for (int epoch = 0; epoch < 10; ++epoch) {
///     sampler.set_epoch(epoch);
///     for (auto [x, y] : loader) ...
class DistributedSampler {
 public:
  DistributedSampler(int64_t n, int rank, int size, SamplerOptions options = {})
      : n_(n), rank_(rank), ranks_(size), options_(options) {
    if (n < 1 || size < 1 || rank < 0 || rank >= size) {
      fail<ValueError>("DistributedSampler", n, " samples for rank ", rank, " of ", size,
                       ", expected at least 1 and a rank below the size");
    }
    set_epoch(0);
  }
  DistributedSampler(int64_t n, const Group& group, SamplerOptions options = {})
      : DistributedSampler(n, group.rank(), group.size(), options) {}

  /// Sets the order for the next loop, also for the result of share(); to be called before the
  /// loop, on all ranks.
  void set_epoch(int64_t epoch) {
    const op::permutation order(n_, {options_.seed, static_cast<std::uint64_t>(epoch)});
    const int64_t count = options_.drop_last ? n_ / ranks_ : (n_ + ranks_ - 1) / ranks_;
    numbers_->clear();
    for (int64_t i = 0; i < count; ++i) {
      const int64_t place = (rank_ + i * ranks_) % n_;  // the first ones again behind the last
      numbers_->push_back(options_.shuffle ? order.value(place) : place);
    }
  }
  /// The number of samples this rank has in an epoch, and their indices.
  int64_t size() const { return static_cast<int64_t>(numbers_->size()); }
  const std::vector<int64_t>& indices() const { return *numbers_; }

  /// This rank's part of a data set of n samples, for a DataLoader that does not shuffle.
  template <data::Loadable D>
  Share<D> share(D dataset) const {
    if (dataset.size() != n_) {
      fail<ValueError>("DistributedSampler::share", "a data set of ", int64_t{dataset.size()},
                       " samples, expected ", n_);
    }
    return {std::move(dataset), numbers_};
  }

 private:
  int64_t n_;
  int64_t rank_;
  int64_t ranks_;
  SamplerOptions options_;
  std::shared_ptr<std::vector<int64_t>> numbers_ = std::make_shared<std::vector<int64_t>>();
};

}  // namespace weft::dist
