// ONNX's sorts and sets, and the choice of boxes.
// SPDX-License-Identifier: Apache-2.0
#include "../call.hpp"
#include "weft/statistics.hpp"

namespace conformance {

namespace {

void top(Call& c) {
  const int64_t k = c.list(1).at(0);
  const bool largest = c.integer("largest", 1) != 0;
  c.visit<float, int64_t, uint64_t>(0, [&](const auto& x) {
    const auto along = axis(c.integer("axis", -1));
    // Equal elements come in the order of their places: a stable sort.
    const auto sorted =
        largest ? sort(x, along, weft::descending, weft::stable) : sort(x, along, weft::stable);
    c.out(sorted.values.narrow(along[0], 0, k));
    c.out(sorted.indices.narrow(along[0], 0, k));
  });
}

void distinct(Call& c) {
  const bool ordered = c.integer("sorted", 1) != 0;
  c.visit<float, int64_t, bfloat16>(0, [&](const auto& x) {
    const int64_t along = c.given("axis") ? from_front(c.integer("axis"), x.rank()) : -1;
    const auto finish = [&](const auto& values, const Int& inverse, const Int& counts) {
      // Where each value is first: the smallest place whose inverse names it.
      const int64_t n = counts.size();
      const Int first = weft::full<int64_t>({n}, inverse.size());
      index_reduce(first, axis(0), inverse.flatten(),
                   Int(weft::arange<int64_t>(0, inverse.size(), 1, Cpu{})), weft::combine::min);
      const auto order = argsort(first);
      const Int places = ordered ? Int(weft::arange<int64_t>(0, n, 1, Cpu{})) : Int(order);
      const auto at = axis(along < 0 ? 0 : along);
      c.out(take(values, places, at));
      c.out(take(first, places));
      const Int rank = weft::zeros<int64_t>({n});
      put(rank, places, weft::arange<int64_t>(0, n, 1, Cpu{}));
      c.out(take(rank, inverse.flatten()));
      c.out(take(counts, places));
    };
    if (along < 0) {
      const auto all = unique_all(x);
      finish(all.values, all.inverse, all.counts);
    } else {
      const auto all = weft::unique(x, axis(along));
      finish(all.values, all.inverse, all.counts);
    }
  });
}

/// Greedy choice of boxes by score, each of which keeps others away that overlap it.
void non_max_suppression(Call& c) {
  const Float boxes = c.f32(0);   // (batch, box, 4)
  const Float scores = c.f32(1);  // (batch, class, box)
  const int64_t most = c.has(2) ? c.list(2).at(0) : 0;
  const auto limit = static_cast<float>(c.has(3) ? c.number(3) : 0);
  const bool centred = c.integer("center_point_box") != 0;
  std::vector<int64_t> chosen;
  for (int64_t b = 0; b < boxes.size(0); ++b) {
    const auto part = [&](int i) { return Float(boxes(b, weft::all, i)); };
    const Float first = centred ? Float(part(1) - part(3) / 2) : Float(minimum(part(0), part(2)));
    const Float left = centred ? Float(part(0) - part(2) / 2) : Float(minimum(part(1), part(3)));
    const Float last = centred ? Float(part(1) + part(3) / 2) : Float(maximum(part(0), part(2)));
    const Float right = centred ? Float(part(0) + part(2) / 2) : Float(maximum(part(1), part(3)));
    const Float area = (last - first) * (right - left);
    // What all boxes have in common with all others: (box, box).
    const Float high =
        clamp_min(minimum(last.unsqueeze(1), last) - maximum(first.unsqueeze(1), first), 0);
    const Float wide =
        clamp_min(minimum(right.unsqueeze(1), right) - maximum(left.unsqueeze(1), left), 0);
    const Tensor<bool> near = high * wide / (area.unsqueeze(1) + area - high * wide) > limit;
    for (int64_t k = 0; k < scores.size(1); ++k) {
      const Float score = scores(b, k);
      const auto sorted = sort(score, weft::descending, weft::stable);
      Tensor<bool> free = weft::ones_like(score) > 0;
      if (c.has(4)) free = score > static_cast<float>(c.number(4));
      int64_t count = 0;
      for (int64_t i : sorted.indices.to_vector()) {
        if (count == most) break;
        if (!free.at(i)) continue;
        free = free && !near(i);
        chosen.insert(chosen.end(), {b, k, i});
        ++count;
      }
    }
  }
  c.out(weft::tensor(chosen).reshape(static_cast<int64_t>(chosen.size()) / 3, 3));
}

}  // namespace

/// This file's operators.
static const Group group([](Table& table) {
  table["TopK"] = top;
  table["Unique"] = distinct;
  table["NonMaxSuppression"] = non_max_suppression;
});

}  // namespace conformance
