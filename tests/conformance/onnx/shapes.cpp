// ONNX's operators that move elements, and those that make tensors.
// SPDX-License-Identifier: Apache-2.0
#include "../call.hpp"

namespace conformance {

namespace {

std::vector<int64_t> axes_of(Call& c) { return c.has(1) ? c.list(1) : c.integers("axes"); }

/// f(tensor) for every type that is only moved.
template <class F>
void moved(Call& c, int i, F f) {
  c.visit<float, double, half, bfloat16, int32_t, int64_t, uint8_t, bool>(i, f);
}

void reshape_to(Call& c, const Shape& shape) {
  moved(c, 0, [&](const auto& x) { c.out(x.reshape(shape)); });
}

void split(Call& c) {
  const int64_t along = from_front(c.integer("axis"), c.shape(0).rank());
  const int64_t size = c.shape(0)[static_cast<int>(along)];
  std::vector<int64_t> lengths = c.has(1) ? c.list(1) : c.integers("split");
  if (lengths.empty()) {
    const int64_t parts = c.integer("num_outputs", c.results());
    const int64_t each = (size + parts - 1) / parts;
    for (int64_t i = 0; i < parts; ++i) lengths.push_back(std::min(each, size - i * each));
  }
  moved(c, 0, [&](const auto& x) {
    int64_t start = 0;
    for (int64_t length : lengths) {
      c.out(x.narrow(along, start, length));
      start += length;
    }
  });
}

void slice(Call& c) {
  const bool inputs = c.count() > 1;
  const auto starts = inputs ? c.list(1) : c.integers("starts");
  const auto ends = inputs ? c.list(2) : c.integers("ends");
  std::vector<int64_t> axes = c.has(3) ? c.list(3) : c.integers("axes");
  const auto steps = c.has(4) ? c.list(4) : std::vector<int64_t>(starts.size(), 1);
  if (axes.empty()) {
    for (std::size_t i = 0; i < starts.size(); ++i) axes.push_back(static_cast<int64_t>(i));
  }
  moved(c, 0, [&](auto x) {
    for (std::size_t i = 0; i < starts.size(); ++i) {
      const int64_t a = from_front(axes[i], x.rank());
      const int64_t size = x.size(a);
      const int64_t step = steps[i];
      // ONNX clamps; a negative end of a negative step that still is below 0 means "to the front".
      int64_t from = starts[i] < 0 ? starts[i] + size : starts[i];
      int64_t to = ends[i] < 0 ? ends[i] + size : ends[i];
      from = std::clamp<int64_t>(from, 0, step > 0 ? size : size - 1);
      to = std::clamp<int64_t>(to, step > 0 ? 0 : -1, size);
      const int64_t count = std::max<int64_t>(
          0, step > 0 ? (to - from + step - 1) / step : (from - to - step - 1) / -step);
      using X = decltype(x);
      x = X(take(x, weft::arange<int64_t>(0, count, 1, Cpu{}) * step + from, axis(a)));
    }
    c.out(x);
  });
}

void pad(Call& c) {
  const std::string word = c.word("mode", "constant");
  const weft::PadMode mode = word == "edge"      ? weft::PadMode::replicate
                             : word == "reflect" ? weft::PadMode::reflect
                             : word == "wrap"    ? weft::PadMode::circular
                                                 : weft::PadMode::constant;
  const auto borders = c.has(1) ? c.list(1) : c.integers("pads");
  const int rank = c.shape(0).rank();
  std::vector<int64_t> axes = c.has(3) ? c.list(3) : std::vector<int64_t>();
  if (axes.empty()) {
    for (int i = 0; i < rank; ++i) axes.push_back(i);
  }
  c.visit<float, half, bfloat16, int32_t>(0, [&](auto x) {
    using T = element_t<decltype(x)>;
    const T fill = c.has(2) ? c.get<T>(2).item() : T(0);
    for (std::size_t i = 0; i < axes.size(); ++i) {
      // One axis after the other, each as the last one.
      const int64_t a = from_front(axes[i], rank);
      x = Tensor<T>(weft::pad(x.transpose(a, -1), Shape{borders[i], borders[i + axes.size()]}, mode,
                              fill))
              .transpose(a, -1)
              .clone();
    }
    c.out(x);
  });
}

void center_crop_pad(Call& c) {
  auto axes = c.integers("axes");
  const auto sizes = c.list(1);
  Float x = c.f32(0);
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const int64_t a = axes.empty() ? static_cast<int64_t>(i) : from_front(axes[i], x.rank());
    const int64_t more = sizes[i] - x.size(a);
    if (more < 0) {
      x = x.narrow(a, -more / 2, sizes[i]).clone();
    } else {
      x = Float(weft::pad(x.transpose(a, -1), Shape{more / 2, more - more / 2}))
              .transpose(a, -1)
              .clone();
    }
  }
  c.out(x);
}

void reverse_sequence(Call& c) {
  const int64_t batch = c.integer("batch_axis", 1);
  const int64_t time = c.integer("time_axis", 0);
  const Int lengths = c.get<int64_t>(1);
  c.visit<float, bfloat16>(0, [&](const auto& x) {
    const auto place = weft::index_along(x, axis(time));
    Shape along;
    for (int i = 0; i < x.rank(); ++i) along.push_back(i == batch ? lengths.size() : 1);
    const Int length = lengths.reshape(along);
    c.out(take_along_axis(x, where(place < length, length - 1 - place, place), axis(time)));
  });
}

template <class T>
void filled(Call& c, const Shape& shape, double value) {
  c.out(weft::full<T>(shape, static_cast<T>(value)));
}

}  // namespace

/// This file's operators.
static const Group group([](Table& table) {
  table["Reshape"] = [](Call& c) {
    auto sizes = c.has(1) ? c.list(1) : c.integers("shape");
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      if (sizes[i] == 0 && c.integer("allowzero") == 0) sizes[i] = c.shape(0)[static_cast<int>(i)];
    }
    reshape_to(c, to_shape(sizes));
  };
  table["Flatten"] = [](Call& c) {
    const Shape& s = c.shape(0);
    int64_t rows = 1;
    int64_t columns = 1;
    const int64_t at = from_front(c.integer("axis", 1), s.rank());
    for (int i = 0; i < s.rank(); ++i) (i < at ? rows : columns) *= s[i];
    reshape_to(c, {rows, columns});
  };
  table["Squeeze"] = [](Call& c) {
    const Shape& s = c.shape(0);
    const auto axes = axes_of(c);
    Shape left;
    for (int i = 0; i < s.rank(); ++i) {
      bool out = axes.empty() && s[i] == 1;
      for (int64_t a : axes) out |= from_front(a, s.rank()) == i;
      if (!out) left.push_back(s[i]);
    }
    reshape_to(c, left);
  };
  table["Unsqueeze"] = [](Call& c) {
    const auto axes = axes_of(c);
    const int rank = c.shape(0).rank() + static_cast<int>(axes.size());
    Shape out;
    int next = 0;
    for (int i = 0; i < rank; ++i) {
      bool is_new = false;
      for (int64_t a : axes) is_new |= from_front(a, rank) == i;
      out.push_back(is_new ? 1 : c.shape(0)[next++]);
    }
    reshape_to(c, out);
  };
  table["Transpose"] = [](Call& c) {
    auto order = c.integers("perm");
    for (int i = c.shape(0).rank(); order.empty() && i > 0;) {
      for (; i > 0; --i) order.push_back(i - 1);
    }
    moved(c, 0, [&](const auto& x) { c.out(x.permute(to_shape(order))); });
  };
  table["Expand"] = [](Call& c) {
    moved(c, 0, [&](const auto& x) {
      const Shape shape = weft::broadcast("expand", x.shape(), to_shape(c.list(1)));
      c.out(x.expand(shape).clone());
    });
  };
  table["Concat"] = [](Call& c) {
    moved(c, 0, [&](const auto& x) {
      std::vector<std::remove_cvref_t<decltype(x)>> parts;
      for (int i = 0; i < c.count(); ++i) parts.push_back(c.get<element_t<decltype(x)>>(i));
      c.out(weft::cat(parts, axis(c.integer("axis"))));
    });
  };
  table["Split"] = split;
  table["Slice"] = slice;
  table["Pad"] = pad;
  table["CenterCropPad"] = center_crop_pad;
  table["ReverseSequence"] = reverse_sequence;
  table["Tile"] = [](Call& c) { c.out(tile(c.f32(0), to_shape(c.list(1)))); };
  table["DepthToSpace"] = [](Call& c) {
    const Float x = c.f32(0);
    const int64_t r = c.integer("blocksize");
    const Shape& s = x.shape();
    if (c.word("mode", "DCR") == "CRD") return c.out(weft::pixel_shuffle(x, r));
    c.out(x.reshape({s[0], r, r, s[1] / r / r, s[2], s[3]})
              .permute({0, 3, 4, 1, 5, 2})
              .reshape({s[0], s[1] / r / r, s[2] * r, s[3] * r}));
  };
  table["SpaceToDepth"] = [](Call& c) {
    const Float x = c.f32(0);
    const int64_t r = c.integer("blocksize");
    const Shape& s = x.shape();
    if (c.word("mode", "DCR") == "CRD") return c.out(weft::pixel_unshuffle(x, r));
    c.out(x.reshape({s[0], s[1], s[2] / r, r, s[3] / r, r})
              .permute({0, 3, 5, 1, 2, 4})
              .reshape({s[0], s[1] * r * r, s[2] / r, s[3] / r}));
  };
  table["Shape"] = [](Call& c) {
    const Shape& s = c.shape(0);
    const int64_t rank = s.rank();
    const auto place = [&](int64_t a) {
      return std::clamp<int64_t>(a < 0 ? a + rank : a, 0, rank);
    };
    std::vector<int64_t> sizes(s.begin(), s.end());
    const int64_t from = place(c.integer("start"));
    const int64_t to = std::max(from, place(c.integer("end", rank)));
    c.out(weft::tensor(std::vector<int64_t>(sizes.begin() + from, sizes.begin() + to)));
  };
  table["Size"] = [](Call& c) { c.out(weft::full<int64_t>(Shape{}, c.shape(0).size())); };
  table["Constant"] = [](Call& c) {
    if (c.given("value")) {
      c.outputs.push_back(c.constant("value"));
    } else if (c.given("value_float")) {
      c.out(weft::full<float>(Shape{}, c.real("value_float", 0)));
    } else if (c.given("value_int")) {
      c.out(weft::full<int64_t>(Shape{}, c.integer("value_int")));
    } else if (c.given("value_ints")) {
      c.out(weft::tensor(c.integers("value_ints")));
    } else if (c.given("value_floats")) {
      c.out(cast<float>(weft::tensor(c.reals("value_floats"))));
    } else {
      c.reject("of another kind");
    }
  };
  table["ConstantOfShape"] = [](Call& c) {
    const Shape shape = to_shape(c.list(0));
    if (!c.given("value")) return filled<float>(c, shape, 0);
    const Value& v = c.constant("value");
    const double x = numbers(v).at(0);
    switch (v.tensor.dtype()) {
      case weft::Dtype::float32:
        return filled<float>(c, shape, x);
      case weft::Dtype::int32:
        return filled<int32_t>(c, shape, x);
      case weft::Dtype::int64:
        return filled<int64_t>(c, shape, x);
      case weft::Dtype::boolean:
        return filled<bool>(c, shape, x);
      default:
        c.reject(std::string("of ") + weft::name(v.tensor.dtype()));
    }
  };
  table["EyeLike"] = [](Call& c) {
    const Shape& s = c.shape(0);
    const int64_t k = c.integer("k");
    switch (c.integer("dtype", 6)) {
      case 1:
        return c.out(weft::eye<float>(s[0], s[1], k));
      case 6:
        return c.out(weft::eye<int32_t>(s[0], s[1], k));
      case 11:
        return c.out(weft::eye<double>(s[0], s[1], k));
      default:
        c.reject("of this type");
    }
  };
  table["Range"] = [](Call& c) {
    c.visit<float, half, bfloat16, int32_t, int64_t>(0, [&](const auto& x) {
      using T = element_t<decltype(x)>;
      const double start = c.number(0);
      const double step = c.number(2);
      const double count = std::ceil((c.number(1) - start) / step);
      const auto n = std::max<int64_t>(0, static_cast<int64_t>(count));
      c.out(cast<T>(weft::arange<double>(0, static_cast<double>(n), 1, Cpu{}) * step + start));
    });
  };
  table["Trilu"] = [](Call& c) {
    const int64_t k = c.has(1) ? c.list(1).at(0) : 0;
    c.visit<int64_t, float>(0, [&](const auto& x) {
      c.integer("upper", 1) != 0 ? c.out(triu(x, k)) : c.out(tril(x, k));
    });
  };
});

}  // namespace conformance
