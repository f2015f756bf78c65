// How a collective of a Group is started: views made contiguous, streams ordered, engines chosen.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/dist/group.hpp"

namespace weft::dist {

namespace detail {
/// The tensor itself, or new memory for its elements if they have gaps.
template <class T, class D>
Tensor<T, D> packed(const Tensor<T, D>& x, bool read) {
  if (x.is_contiguous()) return x;
  return read ? x.clone() : empty_like(x);
}
/// Whether two contiguous tensors share memory.
template <class T, class D>
bool overlap(const Tensor<T, D>& a, const Tensor<T, D>& b) {
  return a.data() < b.data() + b.size() && b.data() < a.data() + a.size();
}
/// A sum over n ranks becomes their mean.
template <class T, class D>
void average(const Tensor<T, D>& x, int n) {
  if constexpr (is_floating<T>) {
    x.assign(x * static_cast<compute_t<T>>(1.0 / n));
  } else if constexpr (is_complex<T>) {
    x.assign(x * T(static_cast<real_t<T>>(1.0 / n)));
  }
}
}  // namespace detail

template <class D>
Engine& Group::engine(D device) const {
  using Way = Transport<Loops<D>>;
  constexpr int kind = is_cuda<D>;
  if (circle_->engine(kind) == nullptr) circle_->install(kind, Way::make(*circle_, device));
  return *circle_->engine(kind);
}

template <class T, class D>
void Group::run(const Call& call, const Tensor<T, D>* in, const Tensor<T, D>* out) const {
  const Work work = start(call, in, out, false);
  if (!batch_open()) work.wait();
}
template <class T, class D>
Work Group::run(const Call& call, const Tensor<T, D>* in, const Tensor<T, D>* out, Async) const {
  return start(call, in, out, true);
}

template <class T, class D>
Work Group::start(Call call, const Tensor<T, D>* in, const Tensor<T, D>* out, bool beside) const {
  static_assert(!std::is_const_v<T>, "weft: collectives take tensors of elements that may change");
  static_assert(Element<T> && !is_dual<T>, "weft: collectives have no Dual elements");
  const bool averages = reduces(call.kind) && call.op == Reduce::average;
  if (averages && !is_floating<T> && !is_complex<T>) {
    fail<ValueError>(name(call.kind), "the average of ", call.dtype,
                     ", expected a floating type: take the sum");
  }
  circle_->begin(call);
  if (out != nullptr && out->storage() != nullptr) out->storage()->bump_version();
  if (size() == 1) {
    if (in != nullptr && out != nullptr && in->data() != out->data()) {
      out->assign(in->reshape(out->shape()));
    }
    return {};
  }
  constexpr bool there = requires { sizeof(Transport<Loops<D>>); };
  if constexpr (!there) {
    (void)has_transport<D>();
    fail<DistributedError>(name(call.kind), size(), " ranks and a tensor on cpu, which needs MPI: ",
                           "link weft::mpi (which defines WEFT_MPI)");
  } else {
    using Way = Transport<Loops<D>>;
    Engine& with = engine(in != nullptr ? in->device() : out->device());
    Batch* const batch = Batch::current();
    if (batch != nullptr) beside = false;
    typename Way::Lane lane(with, in != nullptr ? in->device() : out->device(), beside);
    const bool in_place =
        in == out || (in != nullptr && out != nullptr && in->data() == out->data() &&
                      in->shape() == out->shape() && call.kind == Kind::broadcast);
    Tensor<T, D> source = in != nullptr ? detail::packed(*in, true) : Tensor<T, D>();
    Tensor<T, D> target;
    if (out != nullptr) {
      target = in_place ? source : detail::packed(*out, false);
      const int64_t mine = call.count * rank();
      const bool own_part =  // the forms in place that the libraries have
          (call.kind == Kind::all_gather && source.data() == target.data() + mine) ||
          (call.kind == Kind::reduce_scatter && !Way::is_host &&
           target.data() == source.data() + mine);
      if (!in_place && in != nullptr && !own_part && detail::overlap(source, target)) {
        target = empty_like(target);
      }
    }
    if (in != nullptr) lane.reads(source);
    if (out != nullptr) lane.writes(target);
    call.in = in != nullptr ? source.data() : nullptr;
    call.out = out != nullptr ? target.data() : nullptr;
    const bool scales = averages && !Way::averages;
    if (scales) call.op = Reduce::sum;
    const bool result = out != nullptr && (call.kind != Kind::reduce || call.peer == rank());
    auto finish = [source, target, scales, n = size(),
                   into = out != nullptr ? *out : Tensor<T, D>(), result] {
      if (!result) return;
      if (scales) detail::average(target, n);
      if (into.data() != target.data()) into.assign(target.reshape(into.shape()));
    };
    if (batch != nullptr &&
        std::find(batch->engines.begin(), batch->engines.end(), &with) == batch->engines.end()) {
      with.begin_batch();
      batch->engines.push_back(&with);
    }
    auto ticket = with.start(call);
    const bool later = Way::is_host || batch != nullptr;
    if (!later) {
      finish();
      if (beside) ticket = lane.ticket();
    }
    auto state = std::make_shared<Work::State>();
    state->circle = circle_;
    state->ticket = std::move(ticket);
    if (later) state->finish = std::move(finish);
    Work work(std::move(state));
    if (batch != nullptr) batch->works.push_back(work);
    return work;
  }
}

template <class D, class F>
Work Group::beside([[maybe_unused]] D device, const F& f) const {
  if constexpr (is_cuda<D>) {
    if constexpr (has_transport<D>()) {
      typename Transport<Loops<D>>::Lane lane(engine(device), device, true);
      f();
      auto state = std::make_shared<Work::State>();
      state->circle = circle_;
      state->ticket = lane.ticket();
      return Work(std::move(state));
    }
  } else {
    f();
  }
  return {};
}

inline Group Group::split(int color, int key) const {
  Circle& mine = *circle_;
  const std::string entry = "split" + std::to_string(mine.splits++);
  const auto all = mine.exchange("split", entry, std::to_string(color) + " " + std::to_string(key));
  std::vector<std::pair<int, int>> found;  // key, world rank
  for (std::size_t r = 0; r < all.size(); ++r) {
    std::istringstream in(all[r]);
    int its_color = 0;
    int its_key = 0;
    in >> its_color >> its_key;
    if (its_color == color) found.emplace_back(its_key, mine.members()[r]);
  }
  std::sort(found.begin(), found.end());
  std::vector<int> members;
  for (const auto& [k, member] : found) members.push_back(member);
  return Group(std::make_shared<Circle>(mine.shared_world(),
                                        mine.name() + "." + entry + "." + std::to_string(color),
                                        std::move(members)));
}

}  // namespace weft::dist
