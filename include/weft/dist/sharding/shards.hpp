// Shards: parameters in pieces, of which each rank keeps a part, gathered when they are needed.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "weft/autograd/arena.hpp"
#include "weft/dist/sharding/unit.hpp"
#include "weft/tensor/borrow.hpp"

namespace weft::dist {

/// Parameters that are fetched, and whose gradients are reduced, by one call. They are laid out as
/// in an arena; each rank keeps a part, all parts of the same size.
template <class T, class D>
struct Piece {
  std::vector<Var<T, D>> leaves;
  std::vector<std::string> names;
  int64_t extent = 0;  ///< elements, with what lies between the leaves
  int64_t part = 0;    ///< elements of one rank
  Tensor<T, D> all;    ///< where the parts come together, as the collectives see it
  Var<T, D> shard;     ///< this rank's part, which an optimizer changes
  Tensor<T, D> gradient;

  int slot = -1;  ///< the buffer that it shares with others; -1 where it stays whole
  bool present = false;
  Work fetching;
  Tensor<T, D> whole_gradient;  ///< of a backward pass, until it is reduced
  std::vector<bool> ready;      ///< the leaves whose gradient is complete
  std::size_t open = 0;         ///< how many are not
};

/// The pieces of a model. Pieces that do not stay whole take turns in two buffers, even ones in one
/// and odd ones in the other, so that one is fetched while the other is used: when a piece is
/// fetched again, values kept for the backward pass are where they were.
template <class T, class D>
class Shards : public std::enable_shared_from_this<Shards<T, D>> {
 public:
  Shards(Group group, D device) : group_(std::move(group)), device_(device) {}

  std::vector<Piece<T, D>>& pieces() { return pieces_; }
  const Group& group() const { return group_; }
  D device() const { return device_; }

  /// Called once.
  void build(const std::vector<PieceSpec<T, D>>& specs) {
    const int64_t n = group_.size();
    int64_t largest[2] = {0, 0};
    int sheltered = 0;
    for (const auto& spec : specs) {
      Piece<T, D> p;
      p.names = spec.names;
      for (const auto& x : spec.leaves) p.extent += autograd::arena_extent<T>(x[0]->size());
      p.part = autograd::arena_extent<T>((p.extent + n - 1) / n);
      if (!spec.stays) {
        p.slot = sheltered++ % 2;
        largest[p.slot] = std::max(largest[p.slot], p.part * n);
      }
      pieces_.push_back(std::move(p));
    }
    Tensor<T, D> slots[2];
    for (int i = 0; i < 2; ++i) {
      if (largest[i] > 0) slots[i] = zeros<T>({largest[i]}, device_);
    }
    for (std::size_t i = 0; i < specs.size(); ++i) {
      Piece<T, D>& p = pieces_[i];
      const Tensor<T, D> whole = zeros<T>({p.part * n}, device_);
      int64_t at = 0;
      for (const auto& x : specs[i].leaves) {
        whole.narrow(0, at, x[0]->size()).assign(x[0]->value().reshape({x[0]->size()}));
        at += autograd::arena_extent<T>(x[0]->size());
      }
      const Tensor<T, D> mine = whole.narrow(0, p.part * group_.rank(), p.part);
      p.shard = Var<T, D>(p.slot < 0 ? mine : mine.clone(), true);
      p.gradient = zeros<T>({p.part}, device_);
      place(i, specs[i].leaves, p.slot < 0 ? whole : slots[p.slot]);
    }
    reset();
  }

  /// From now on the gathered values may be out of date.
  void forget() {
    for (auto& p : pieces_) p.present = false;
  }
  /// Starts to gather piece i, after all work already on the stream, which may use the same memory.
  void fetch(std::size_t i) {
    Piece<T, D>& p = pieces_[i];
    if (p.present) return;
    if (p.slot >= 0) {
      auto& there = occupant_[p.slot];
      if (there) {
        arrive(*there);
        pieces_[*there].present = false;
      }
      there = i;
    }
    group_.fence(device_);
    p.fetching = group_.all_gather(p.all, p.shard.value(), async);
    p.present = true;
  }
  /// The same, and what follows may read them.
  void need(std::size_t i) {
    fetch(i);
    arrive(i);
  }
  /// Fetches piece i where that disturbs neither piece `now` nor one that a backward pass is in.
  void prefetch(std::size_t i, std::size_t now, bool backward) {
    const int slot = pieces_[i].slot;
    if (slot >= 0 && slot == pieces_[now].slot) return;
    if (slot >= 0 && backward && occupant_[slot] && *occupant_[slot] != i &&
        pieces_[*occupant_[slot]].open > 0) {
      return;
    }
    fetch(i);
  }
  /// Waits for what was fetched and not used.
  void arrive() {
    for (std::size_t i = 0; i < pieces_.size(); ++i) arrive(i);
  }

  /// The gradient of a leaf is complete. The last pieces are reduced first, in the same order on
  /// all ranks.
  void set_ready(std::size_t i, std::size_t leaf) {
    mark(i, leaf);
    began_ = true;
    while (next_ > 0 && pieces_[next_ - 1].open == 0) reduce(--next_);
    if (next_ == 0) finish();
  }
  /// The same for a leaf that will get no gradient: it counts as 0.
  void set_unused(std::size_t i, std::size_t leaf) { mark(i, leaf); }
  /// The leaves whose gradient is still missing in a backward pass that has begun.
  std::vector<std::string> missing() const {
    std::vector<std::string> out;
    for (const auto& p : pieces_) {
      for (std::size_t k = 0; began_ && k < p.leaves.size(); ++k) {
        if (!p.ready[k]) out.push_back(p.names[k]);
      }
    }
    return out;
  }
  /// Starts over.
  void reset() {
    for (auto& p : pieces_) {
      p.ready.assign(p.leaves.size(), false);
      p.open = p.leaves.size();
    }
    next_ = pieces_.size();
    began_ = false;
  }

 private:
  /// Where a leaf's gradient is put: memory for its whole piece, allocated when the first gradient
  /// arrives.
  struct ShardPlace final : autograd::Place<T, D> {
    std::weak_ptr<Shards> owner;
    std::size_t piece = 0;
    void open() override {
      const auto shards = owner.lock();
      if (!shards) {
        fail<ValueError>("backward", "a parameter's FullyShardedDataParallel is gone, expected ",
                         "that it lives as long as its module is used");
      }
      shards->open(shards->pieces_[piece]);
    }
  };
  struct Reduction {
    std::size_t piece;
    Tensor<T, D> whole;
    Tensor<T, D> out;
    Work work;
  };

  /// Gives the leaves of piece i their places in `memory`, which they own; the collectives use a
  /// storage of their own for it, so that their writes do not count as changes to values that a
  /// statement has kept.
  void place(std::size_t i, const std::vector<std::vector<Var<T, D>*>>& leaves,
             const Tensor<T, D>& memory) {
    Piece<T, D>& p = pieces_[i];
    p.all = borrow(memory.data(), {p.part * group_.size()}, device_);
    const std::weak_ptr<Shards> weak = this->weak_from_this();
    int64_t at = 0;
    for (const auto& handles : leaves) {
      const auto variable = handles[0]->variable();
      const Shape shape = handles[0]->shape();
      auto* const own = new ShardPlace;
      variable->place = autograd::Ref<autograd::Place<T, D>>(own);
      own->first = at;
      own->next = at + autograd::arena_extent<T>(shape.size());
      own->owner = weak;
      own->piece = i;
      const Tensor<T, D> value = memory.narrow(0, at, shape.size()).reshape(shape);
      for (auto* x : handles) *x = Var<T, D>(value, variable);
      at = own->next;
      p.leaves.push_back(*handles[0]);
      p.leaves.back().register_post_accumulate_grad_hook(
          [weak, i, leaf = p.leaves.size() - 1](const Tensor<T, D>&) {
            if (const auto shards = weak.lock()) shards->set_ready(i, leaf);
          });
    }
  }

  void arrive(std::size_t i) {
    pieces_[i].fetching.wait();
    pieces_[i].fetching = {};
  }
  void mark(std::size_t i, std::size_t leaf) {
    Piece<T, D>& p = pieces_[i];
    if (p.ready[leaf]) {
      fail<ValueError>("FullyShardedDataParallel", "a second gradient of ", p.names[leaf].c_str(),
                       " before all have their first, expected one backward pass for each ",
                       "forward pass");
    }
    p.ready[leaf] = true;
    --p.open;
  }
  void open(Piece<T, D>& p) {
    if (p.whole_gradient.storage() != nullptr) return;
    p.whole_gradient = zeros<T>({p.part * group_.size()}, device_);  // gaps must not be NaN
    for (const auto& x : p.leaves) {
      auto& place = *x.variable()->place;
      place.gradient = p.whole_gradient.narrow(0, place.first, x.size()).reshape(x.shape());
    }
  }
  void reduce(std::size_t i) {
    Piece<T, D>& p = pieces_[i];
    open(p);
    const Tensor<T, D> out = p.shard.has_grad() ? empty<T>({p.part}, device_) : p.gradient;
    Work work = group_.reduce_scatter(out, p.whole_gradient, Reduce::average, async);
    for (const auto& x : p.leaves) {
      x.variable()->place->gradient = {};
      x.zero_grad();
    }
    reductions_.push_back({i, std::exchange(p.whole_gradient, {}), out, std::move(work)});
    if (reductions_.size() > 2) settle();  // the memory of those that run is bounded
  }
  void settle() {
    const Reduction r = std::move(reductions_.front());
    reductions_.pop_front();
    r.work.wait();
    group_.waited(r.whole);
    const Var<T, D>& shard = pieces_[r.piece].shard;
    if (shard.has_grad()) {
      shard.grad().assign(shard.grad() + r.out);
    } else {
      shard.set_grad(r.out);
    }
  }
  void finish() {
    while (!reductions_.empty()) settle();
    arrive();
    reset();
  }

  Group group_;
  D device_;
  std::vector<Piece<T, D>> pieces_;
  std::optional<std::size_t> occupant_[2];
  std::deque<Reduction> reductions_;
  std::size_t next_ = 0;  // the pieces before it are still to be reduced
  bool began_ = false;
};

}  // namespace weft::dist
