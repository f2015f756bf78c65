// ONNX's gathers and scatters.
// SPDX-License-Identifier: Apache-2.0
#include "../call.hpp"

namespace conformance {

namespace {

Int indices(Call& c, int i) {
  if (c.dtype(i) == weft::Dtype::int32) return cast<int64_t>(c.get<int32_t>(i));
  return c.get<int64_t>(i);
}

void scatter_elements(Call& c) {
  const Float x = c.f32(0).clone();
  const Float updates = c.f32(2);
  const auto along = axis(c.integer("axis"));
  const std::string how = c.word("reduction", "none");
  // The indices may be fewer than the target's elements along other axes: those of its first ones.
  const int at = static_cast<int>(from_front(c.integer("axis"), x.rank()));
  Float part = x;
  for (int i = 0; i < x.rank(); ++i) {
    if (i != at) part = part.narrow(i, 0, updates.size(i));
  }
  if (how == "none") {
    scatter(part, along, indices(c, 1), updates);
  } else if (how == "add") {
    scatter_add(part, along, indices(c, 1), updates);
  } else if (how == "mul") {
    scatter_reduce(part, along, indices(c, 1), updates, weft::combine::prod);
  } else if (how == "max") {
    scatter_reduce(part, along, indices(c, 1), updates, weft::combine::max);
  } else {
    scatter_reduce(part, along, indices(c, 1), updates, weft::combine::min);
  }
  c.out(x);
}

void scatter_slices(Call& c) {
  const Float x = c.f32(0).clone();
  const Float updates = c.f32(2);
  const std::string how = c.word("reduction", "none");
  const Int at = indices(c, 1);
  if (how == "none") {
    scatter_nd(x, at, updates);
  } else if (how == "add") {
    scatter_nd_add(x, at, updates);
  } else {
    // Slices by their row-major number.
    const auto depth = static_cast<int>(at.size(-1));
    int64_t count = 1;
    Int number = weft::zeros<int64_t>({at.size() / std::max<int64_t>(1, depth)});
    for (int i = 0; i < depth; ++i) {
      const Int one = at.narrow(-1, i, 1).flatten();
      number = number * x.size(i) + where(one < 0, one + x.size(i), one);
      count *= x.size(i);
    }
    const Float slices = x.reshape(count, -1);
    const Float rows = updates.reshape(number.size(), -1);
    if (how == "mul") {
      index_reduce(slices, axis(0), number, rows, weft::combine::prod);
    } else if (how == "max") {
      index_reduce(slices, axis(0), number, rows, weft::combine::max);
    } else {
      index_reduce(slices, axis(0), number, rows, weft::combine::min);
    }
  }
  c.out(x);
}

void gather_slices(Call& c) {
  const int64_t batches = c.integer("batch_dims");
  const Int at = c.get<int64_t>(1);
  c.visit<float, int32_t>(0, [&](const auto& x) {
    if (batches == 0) return c.out(gather_nd(x, at));
    // The batch's own coordinates before those that are given.
    std::vector<Int> parts;
    Shape shape = at.shape();
    shape[shape.rank() - 1] = 1;
    for (int i = 0; i < batches; ++i) parts.push_back(weft::index_along(shape, axis(i)));
    parts.push_back(at);
    c.out(gather_nd(x, weft::cat(parts, axis(-1)).eval()));
  });
}

void tensor_scatter(Call& c) {
  const Float x = c.f32(0).clone();
  const Float update = c.f32(1);
  const int64_t along = from_front(c.integer("axis", -2), x.rank());
  const Int start = c.has(2) ? c.get<int64_t>(2) : Int(weft::zeros<int64_t>({x.size(0)}));
  Shape first{start.size()};
  while (first.rank() < x.rank()) first.push_back(1);
  Int place = weft::index_along(update.shape(), axis(along)) + start.reshape(first);
  if (c.word("mode", "linear") == "circular") place = place % x.size(along);
  scatter(x, axis(along), place, update);
  c.out(x);
}

template <class T>
void one_hot_of(Call& c, const Int& labels, int64_t depth) {
  const auto values = c.get<T>(2);
  const Int at = where(labels < 0, labels + depth, labels);
  // A label outside of the classes has no class.
  const int64_t along = from_front(c.integer("axis", -1), labels.rank() + 1);
  Shape classes;
  for (int i = 0; i <= labels.rank(); ++i) classes.push_back(i == along ? depth : 1);
  const Tensor<bool> hot =
      at.unsqueeze(along) == weft::arange<int64_t>(depth, Cpu{}).reshape(classes);
  c.out(where(hot, values(1), values(0)));
}

}  // namespace

/// This file's operators.
static const Group group([](Table& table) {
  table["Gather"] = [](Call& c) {
    const Int at = indices(c, 1);
    c.visit<float, int64_t>(0, [&](const auto& x) { c.out(take(x, at, axis(c.integer("axis")))); });
  };
  table["GatherElements"] = [](Call& c) {
    c.out(take_along_axis(c.f32(0), indices(c, 1), axis(c.integer("axis"))));
  };
  table["GatherND"] = gather_slices;
  table["ScatterElements"] = scatter_elements;
  table["Scatter"] = scatter_elements;
  table["ScatterND"] = scatter_slices;
  table["TensorScatter"] = tensor_scatter;
  table["OneHot"] = [](Call& c) {
    const auto depth = static_cast<int64_t>(c.number(1));
    c.visit<float, int64_t>(0, [&](const auto& labels) {
      const Int at = cast<int64_t>(labels);
      switch (c.dtype(2)) {
        case weft::Dtype::float32:
          return one_hot_of<float>(c, at, depth);
        case weft::Dtype::int32:
          return one_hot_of<int32_t>(c, at, depth);
        case weft::Dtype::bfloat16:
          return one_hot_of<bfloat16>(c, at, depth);
        default:
          c.reject(2);
      }
    });
  };
  table["Compress"] = [](Call& c) {
    const Int at = nonzero(c.get<bool>(1)).flatten();
    c.visit<float, bfloat16>(0, [&](const auto& x) {
      c.given("axis") ? c.out(take(x, at, axis(c.integer("axis")))) : c.out(take(x.flatten(), at));
    });
  };
  table["NonZero"] = [](Call& c) { c.out(nonzero(c.get<bool>(0)).t()); };
});

}  // namespace conformance
