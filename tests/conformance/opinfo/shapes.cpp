// PyTorch's functions that move, cut and join.
// SPDX-License-Identifier: Apache-2.0
#include "../sample.hpp"

namespace conformance {

namespace {

/// f(parts) of a list of operands.
template <class F>
Run joined(F) {
  return [](Sample& s) {
    s.wants_gradients() ? F{}(s, s.list<Var<double>>("input")) : F{}(s, s.list<Double>("input"));
  };
}

template <class X>
void each(Sample& s, const std::vector<X>& parts) {
  for (const X& part : parts) s.out(part);
}

/// PyTorch's order of borders: for the last axis first.
template <class X>
void padded(Sample& s, const X& x, weft::PadMode mode) {
  const auto around = s.integers("pad");
  if (mode == weft::PadMode::constant) {
    return s.out(weft::pad(x, to_shape(around), mode, s.number("value", 0)));
  }
  s.out(weft::pad(x, to_shape(around), mode));
}

template <class X>
void pieces(Sample& s, const X& x, int64_t along) {
  if (s.integers("sections").size() > 1 || !s.given("sections")) {
    return each(s, weft::tensor_split(x, s.integers("sections"), along));
  }
  each(s, weft::tensor_split(x, s.integer("sections"), along));
}

}  // namespace

static const Group group([](Runs& t) {
  t["ravel"] = unary([](const auto& x) { return ravel(x); });
  t["fliplr"] = unary([](const auto& x) { return fliplr(x); });
  t["flipud"] = unary([](const auto& x) { return flipud(x); });
  t["t"] = unary([](const auto& x) { return x.t(); });
  t["reshape"] =
      with([](Sample& s, const auto& x) { s.out(x.reshape(to_shape(s.integers("shape")))); });
  t["view"] =
      with([](Sample& s, const auto& x) { s.out(x.reshape(to_shape(s.integers("size")))); });
  t["expand"] = t["broadcast_to"] = with([](Sample& s, const auto& x) {
    auto size = s.integers("size");
    const auto shift = static_cast<int>(size.size()) - x.rank();
    for (std::size_t i = 0; i < size.size(); ++i) {
      if (size[i] == -1) size[i] = x.shape()[static_cast<int>(i) - shift];
    }
    s.out(x.expand(to_shape(size)));
  });
  t["flatten"] = with([](Sample& s, const auto& x) {
    if (x.rank() == 0) return s.out(x.reshape(Shape{1}));
    s.out(weft::flatten(x, s.integer("start_dim"), s.integer("end_dim", -1)));
  });
  t["permute"] = with([](Sample& s, const auto& x) {
    Shape order;
    for (int64_t a : s.integers("dims")) order.push_back(a < 0 ? a + x.rank() : a);
    s.out(x.permute(order));
  });
  t["transpose"] = with(
      [](Sample& s, const auto& x) { s.out(x.transpose(s.integer("dim0"), s.integer("dim1"))); });
  t["movedim"] = with([](Sample& s, const auto& x) {
    s.out(weft::movedim(x, to_axes(s.integers("source")), to_axes(s.integers("destination"))));
  });
  t["squeeze"] = with([](Sample& s, const auto& x) {
    if (!s.given("dim")) return s.out(x.squeeze());
    if (s.integers("dim").size() != 1) {  // PyTorch passes over axes of other sizes
      weft::Axes axes;
      for (int64_t a : s.integers("dim")) {
        if (x.shape()[static_cast<int>(a < 0 ? a + x.rank() : a)] == 1) axes.push_back(a);
      }
      return s.out(axes.rank() == 0 ? x : weft::squeeze(x, axes));
    }
    const int64_t a = s.integer("dim");
    if (x.rank() == 0 || x.shape()[static_cast<int>(a < 0 ? a + x.rank() : a)] != 1)
      return s.out(x);
    s.out(x.squeeze(a));
  });
  t["unsqueeze"] = with([](Sample& s, const auto& x) { s.out(x.unsqueeze(s.integer("dim"))); });
  t["flip"] =
      with([](Sample& s, const auto& x) { s.out(weft::flip(x, to_axes(s.integers("dims")))); });
  t["rot90"] = with([](Sample& s, const auto& x) {
    s.out(weft::rot90(x, s.integer("k", 1), to_axes(s.integers("dims", {0, 1}))));
  });
  t["roll"] = with([](Sample& s, const auto& x) {
    if (!s.given("dims")) return s.out(weft::roll(x, s.integer("shifts")));
    s.out(weft::roll(x, to_shape(s.integers("shifts")), to_axes(s.integers("dims"))));
  });
  t["tile"] =
      with([](Sample& s, const auto& x) { s.out(weft::tile(x, to_shape(s.integers("dims")))); });
  t["repeat"] = with(
      [](Sample& s, const auto& x) { s.out(weft::repeat(x, to_shape(s.integers("repeats")))); });
  t["repeat_interleave"] = with([](Sample& s, const auto& x) {
    if (s.is_tensor("repeats")) {
      return s.out(weft::repeat_interleave(x, s.ints("repeats"), axis(s.integer("dim"))));
    }
    if (!s.given("dim")) return s.out(weft::repeat_interleave(x, s.integer("repeats")));
    s.out(weft::repeat_interleave(x, s.integer("repeats"), axis(s.integer("dim"))));
  });
  t["tril"] = with([](Sample& s, const auto& x) { s.out(weft::tril(x, s.integer("diagonal"))); });
  t["triu"] = with([](Sample& s, const auto& x) { s.out(weft::triu(x, s.integer("diagonal"))); });
  t["diagonal"] = with([](Sample& s, const auto& x) {
    s.out(x.diagonal(s.integer("offset"), s.integer("dim1", 0), s.integer("dim2", 1)));
  });
  t["diag_embed"] = with([](Sample& s, const auto& x) {
    s.out(weft::diag_embed(x, s.integer("offset"), s.integer("dim1", -2), s.integer("dim2", -1)));
  });
  t["diagflat"] =
      with([](Sample& s, const auto& x) { s.out(weft::diagflat(x, s.integer("offset"))); });
  t["diag"] = with([](Sample& s, const auto& x) { s.out(weft::diag(x, s.integer("diagonal"))); });
  t["narrow"] = with([](Sample& s, const auto& x) {
    const int64_t start = s.is_tensor("start") ? s.ints("start").item() : s.integer("start");
    const int64_t a = s.integer("dim");
    s.out(x.narrow(a, start < 0 ? start + x.size(a) : start, s.integer("length")));
  });
  t["select"] = with([](Sample& s, const auto& x) {
    s.out(weft::select(x, axis(s.integer("dim")), s.integer("index")));
  });
  t["unflatten"] = with([](Sample& s, const auto& x) {
    s.out(weft::unflatten(x, s.integer("dim"), to_shape(s.integers("sizes"))));
  });
  t["chunk"] = with(
      [](Sample& s, const auto& x) { each(s, x.chunk(s.integer("chunks"), s.integer("dim"))); });
  t["split"] = t["split.list_args"] = t["split_with_sizes"] = with([](Sample& s, const auto& x) {
    const auto sizes = s.integers("split_size");
    if (s.name() == "split") return each(s, x.split(sizes.at(0), s.integer("dim")));
    each(s, weft::split(x, sizes, s.integer("dim")));
  });
  t["tensor_split"] = with([](Sample& s, const auto& x) {
    if (s.is_tensor("sections")) s.reject("places that a tensor gives");
    pieces(s, x, s.integer("dim"));
  });
  t["hsplit"] = with([](Sample& s, const auto& x) { pieces(s, x, x.rank() == 1 ? 0 : 1); });
  t["vsplit"] = with([](Sample& s, const auto& x) { pieces(s, x, 0); });
  t["dsplit"] = with([](Sample& s, const auto& x) { pieces(s, x, 2); });
  t["unbind"] = with([](Sample& s, const auto& x) { each(s, weft::unbind(x, s.integer("dim"))); });
  t["unfold"] = with([](Sample& s, const auto& x) {
    s.out(weft::windows(x, axis(s.integer("dim")), s.integer("size"), s.integer("step")));
  });
  t["cat"] =
      joined([](Sample& s, const auto& parts) { s.out(weft::cat(parts, axis(s.integer("dim")))); });
  t["stack"] = joined(
      [](Sample& s, const auto& parts) { s.out(weft::stack(parts, axis(s.integer("dim")))); });
  t["hstack"] = joined([](Sample& s, const auto& parts) {
    if (parts.size() == 2) return s.out(weft::hstack(parts[0], parts[1]));
    if (parts.size() == 3) return s.out(weft::hstack(parts[0], parts[1], parts[2]));
    s.reject("more operands");
  });
  t["vstack"] = joined([](Sample& s, const auto& parts) {
    if (parts.size() == 2) return s.out(weft::vstack(parts[0], parts[1]));
    if (parts.size() == 3) return s.out(weft::vstack(parts[0], parts[1], parts[2]));
    s.reject("more operands");
  });
  t["dstack"] = joined([](Sample& s, const auto& parts) {
    if (parts.size() == 2) return s.out(weft::dstack(parts[0], parts[1]));
    if (parts.size() == 3) return s.out(weft::dstack(parts[0], parts[1], parts[2]));
    s.reject("more operands");
  });
  t["column_stack"] = joined([](Sample& s, const auto& parts) {
    if (parts.size() == 2) return s.out(weft::column_stack(parts[0], parts[1]));
    if (parts.size() == 3) return s.out(weft::column_stack(parts[0], parts[1], parts[2]));
    s.reject("more operands");
  });
  t["constant_pad_nd"] = t["nn.functional.pad.constant"] =
      with([](Sample& s, const auto& x) { padded(s, x, weft::PadMode::constant); });
  t["nn.functional.pad.reflect"] =
      with([](Sample& s, const auto& x) { padded(s, x, weft::PadMode::reflect); });
  t["nn.functional.pad.replicate"] =
      with([](Sample& s, const auto& x) { padded(s, x, weft::PadMode::replicate); });
  t["nn.functional.pad.circular"] =
      with([](Sample& s, const auto& x) { padded(s, x, weft::PadMode::circular); });
  t["select_scatter"] = [](Sample& s) {
    s.over(
        [](Sample& u, const auto& x, const auto& y) {
          u.out(weft::select_scatter(x, y, axis(u.integer("dim")), u.integer("index")));
        },
        "input", "src");
  };
  t["diagonal_scatter"] = [](Sample& s) {
    s.over(
        [](Sample& u, const auto& x, const auto& y) {
          u.out(weft::diagonal_scatter(x, y, u.integer("offset"), u.integer("dim1", 0),
                                       u.integer("dim2", 1)));
        },
        "input", "src");
  };
});

}  // namespace conformance
