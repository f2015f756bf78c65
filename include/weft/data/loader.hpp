// DataLoader: a data set's samples as batches, shuffled, prepared by threads, on any device.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <iterator>
#include <memory>
#include <numeric>

#include "weft/data/dataset.hpp"
#include "weft/data/ordered_queue.hpp"

namespace weft::data {

struct LoaderOptions {
  int64_t batch_size = 1;
  bool shuffle = false;    ///< another order in each epoch, which `seed` alone determines
  std::uint64_t seed = 0;  ///< of the order and of random samples
  bool drop_last = false;  ///< leave out a last batch that is smaller than the others
  int workers = 0;         ///< threads that prepare batches; with 0 the calling thread does
  int prefetch = 2;        ///< batches that each worker prepares ahead
};

/// How batches get to device D: memory() is where they are assembled, and operator() copies a
/// tensor. data/cuda.hpp has the one for CUDA.
template <class D>
struct Feed;
template <>
struct Feed<Cpu> {
  explicit Feed(Cpu) {}
  static HostMemory memory() { return {}; }
  template <class X>
  X operator()(const X& x) const {
    return x;
  }
};

/// The batches of an epoch, one after the other; ends at std::default_sentinel.
template <class Batch>
class BatchIterator {
 public:
  using value_type = Batch;
  using difference_type = std::ptrdiff_t;
  using iterator_concept = std::input_iterator_tag;

  explicit BatchIterator(std::unique_ptr<OrderedQueue<Batch>> queue) : queue_(std::move(queue)) {
    ++*this;
  }
  const Batch& operator*() const { return *batch_; }
  const Batch* operator->() const { return &*batch_; }
  BatchIterator& operator++() {
    batch_.reset();  // its memory may serve the next one
    batch_ = queue_->next();
    return *this;
  }
  void operator++(int) { ++*this; }
  friend bool operator==(const BatchIterator& it, std::default_sentinel_t) {
    return !it.batch_.has_value();
  }

 private:
  std::unique_ptr<OrderedQueue<Batch>> queue_;
  std::optional<Batch> batch_;
};

namespace detail {
/// Stands for something that is not a data set, to say what one has.
template <class D>
struct NoDataset {
  NoDataset(const D&) {
    static_assert(
        weft::detail::always_false<D>,
        "weft: a data set has size() const and get(i) const, or get(i, Generator&) const; tensors "
        "become one by data::TensorDataset(x, y); or, to make whole batches, batch(const int64_t* "
        "indices, int64_t count, "
        "data::HostMemory) const, which gives a std::tuple of tensors");
  }
  int64_t size() const { return 0; }
  int64_t get(int64_t) const { return 0; }
};
}  // namespace detail

/// `for (auto [x, y] : loader)` runs over one epoch of batches: a tuple of tensors, one for each
/// part of a sample. Which samples are in which batch, and what random samples draw, depends only
/// on the options and the epoch, not on the number of workers. An exception in a worker is rethrown
/// in the loop at its batch. Leaving the loop early stops the workers. `loader.to(Cuda{})` gives
/// the same batches on a GPU.
template <Loadable D>
class DataLoader {
 public:
  /// Says how options are written.
  template <NumberLike N, class... More>
  DataLoader(D dataset, N, More...) : DataLoader(std::move(dataset)) {
    static_assert(weft::detail::always_false<N>,
                  "weft: the options of a DataLoader have names: write "
                  "DataLoader(set, {.batch_size = 64, .shuffle = true})");
  }
  explicit DataLoader(D dataset, LoaderOptions options = {})
      : dataset_(std::move(dataset)), options_(options) {
    if (options.batch_size < 1) {
      fail<ValueError>("DataLoader", "batches of ", options.batch_size, ", expected at least 1");
    }
    if (options.workers < 0 || options.workers > 1024) {
      fail<ValueError>("DataLoader", options.workers, " workers, expected 0 to 1024");
    }
    if (options.prefetch < 1 || options.prefetch > 1024) {
      fail<ValueError>("DataLoader", "to prefetch ", options.prefetch,
                       " batches, expected 1 to 1024");
    }
  }

  const D& dataset() const { return dataset_; }
  const LoaderOptions& options() const { return options_; }
  /// The batches of an epoch.
  int64_t size() const {
    const int64_t n = dataset_.size();
    return n / options_.batch_size + (!options_.drop_last && n % options_.batch_size != 0);
  }

  /// The number of the next epoch, from 0.
  int64_t epoch() const { return epoch_; }
  /// Makes the next loop begin at this batch of this epoch, to resume a run.
  void seek(int64_t epoch, int64_t batch = 0) {
    if (epoch < 0 || batch < 0 || batch > size()) {
      fail<IndexError>("DataLoader::seek", "epoch ", epoch, ", batch ", batch,
                       ", expected an epoch of at least 0 and a batch of 0 to ", size());
    }
    epoch_ = epoch;
    first_ = batch;
  }

  /// The numbers of the samples in a batch.
  std::vector<int64_t> indices(int64_t epoch, int64_t batch) const {
    const int64_t start = batch * options_.batch_size;
    const int64_t stop = std::min(start + options_.batch_size, int64_t{dataset_.size()});
    std::vector<int64_t> out(static_cast<std::size_t>(std::max<int64_t>(stop - start, 0)));
    std::iota(out.begin(), out.end(), start);
    if (options_.shuffle) {
      const op::permutation order(dataset_.size(), draw(epoch, 0));
      for (int64_t& i : out) i = order.value(i);
    }
    return out;
  }

  /// One batch of an epoch, on the CPU.
  auto batch(int64_t epoch, int64_t number, HostMemory memory = {}) const {
    const std::vector<int64_t> order = indices(epoch, number);
    if (order.empty()) fail<IndexError>("DataLoader::batch", "batch ", number, " of ", size());
    const auto count = static_cast<int64_t>(order.size());
    if constexpr (BatchedDataset<D>) {
      return dataset_.batch(order.data(), count, memory);
    } else {
      std::vector<decltype(parts(sample(epoch, 0)))> samples;
      samples.reserve(order.size());
      for (const int64_t i : order) samples.push_back(parts(sample(epoch, i)));
      return collate(samples, memory);
    }
  }

  /// Starts the next epoch.
  auto begin() { return run(Feed<Cpu>(Cpu{})); }
  std::default_sentinel_t end() const { return {}; }

  /// The same batches on `device`, as a range that refers to this loader. From the CPU to a GPU
  /// they are copied through pinned memory on a separate stream, overlapping with computation.
  template <Device To>
  auto to(To device) & {
    using Loops = std::conditional_t<is_cuda<To>, Cuda, Cpu>;
    static_assert(
        requires { sizeof(Feed<Loops>); },
        "weft: to load batches onto Cuda include <weft/data/cuda.hpp>");
    struct Range {
      DataLoader* loader;
      Feed<Loops> feed;
      auto begin() { return loader->run(feed); }
      std::default_sentinel_t end() const { return {}; }
      int64_t size() const { return loader->size(); }
    };
    return Range{this, Feed<Loops>(device)};
  }

 private:
  /// Two draws an epoch: for the order and for the samples.
  Draw draw(int64_t epoch, int which) const {
    return {options_.seed,
            2 * static_cast<std::uint64_t>(epoch) + static_cast<std::uint64_t>(which)};
  }

  auto sample(int64_t epoch, int64_t i) const {
    if constexpr (RandomDataset<D>) {
      Generator generator(draw(epoch, 1).bits64(static_cast<std::uint64_t>(i)));
      return dataset_.get(i, generator);
    } else {
      return dataset_.get(i);
    }
  }

  template <class F>
  auto run(F feed) {
    const int64_t epoch = epoch_++;
    const auto make = [this, epoch, feed](int64_t number) {
      return std::apply([&](const auto&... x) { return std::tuple(feed(x)...); },
                        batch(epoch, number, feed.memory()));
    };
    using Batch = decltype(make(0));
    return BatchIterator<Batch>(
        std::make_unique<OrderedQueue<Batch>>(std::exchange(first_, 0), size(), options_.workers,
                                              options_.workers * options_.prefetch, make));
  }

  D dataset_;
  LoaderOptions options_;
  int64_t epoch_ = 0;
  int64_t first_ = 0;
};
/// Not a data set: says what one has.
template <class D>
  requires(!Loadable<D>)
DataLoader(D, LoaderOptions = {})
->DataLoader<detail::NoDataset<D>>;
template <class D, NumberLike N, class... More>
  requires(!Loadable<D>)
DataLoader(D, N, More...)
->DataLoader<detail::NoDataset<D>>;

}  // namespace weft::data
