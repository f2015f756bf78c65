// PyTorch's functions of indices, order and counts.
// SPDX-License-Identifier: Apache-2.0
#include "../sample.hpp"
#include "weft/statistics.hpp"

namespace conformance {

namespace {

/// A number for indices of rank 0, which weft's scatters along an axis do not take.
bool of_number(const Sample& s) { return s.shape("input").rank() == 0; }

}  // namespace

static const Group group([](Runs& t) {
  t["masked_select"] =
      with([](Sample& s, const auto& x) { s.out(masked_select(x, s.flags("mask"))); });
  t["masked_scatter"] = [](Sample& s) {
    s.over([](Sample& u, const auto& x,
              const auto& y) { u.out(weft::masked_scatter(x, u.flags("mask"), y)); },
           "input", "source");
  };
  t["gather"] = with(
      [](Sample& s, const auto& x) { s.out(gather(x, s.ints("index"), axis(s.integer("dim")))); });
  t["take_along_dim"] = with([](Sample& s, const auto& x) {
    if (!s.given("dim")) return s.out(take(x.flatten(), s.ints("index").flatten()));
    s.out(take_along_axis(x, s.ints("index"), axis(s.integer("dim"))));
  });
  t["index_select"] = with([](Sample& s, const auto& x) {
    if (of_number(s)) return s.out(take(x, s.ints("index")).eval().reshape(Shape{}));
    s.out(take(x, s.ints("index"), axis(s.integer("dim"))));
  });
  t["take"] = with([](Sample& s, const auto& x) { s.out(take(x, s.ints("index"))); });
  t["scatter_add"] = [](Sample& s) {
    s.over(
        [](Sample& u, const auto& x, const auto& y) {
          u.out(scatter_add(x.clone(), axis(u.integer("dim")), u.ints("index"), y));
        },
        "input", "src");
  };
  t["index_add"] = [](Sample& s) {
    s.over(
        [](Sample& u, const auto& x, const auto& y) {
          u.out(index_add(x.clone(), axis(u.integer("dim")), u.ints("index"),
                          u.number("alpha", 1) * y));
        },
        "input", "source");
  };
  t["sort"] = with([](Sample& s, const auto& x) {
    const auto along = axis(s.integer("dim", -1));
    const auto sorted = s.flag("descending") ? sort(x, along, weft::descending, weft::stable)
                                             : sort(x, along, weft::stable);
    s.out(sorted.values);
    s.out(sorted.indices);
  });
  t["msort"] = unary([](const auto& x) { return sort(x, axis(0)).values; });
  t["argsort"] = [](Sample& s) {
    const auto along = axis(s.integer("dim", -1));
    const Double x = s.tensor("input");
    s.flag("descending") ? s.out(argsort(x, along, weft::descending, weft::stable))
                         : s.out(argsort(x, along, weft::stable));
  };
  t["topk"] = with([](Sample& s, const auto& x) {
    const auto along = axis(s.integer("dim", -1));
    const auto top = s.flag("largest", true) ? topk(x, s.integer("k"), along)
                                             : topk(x, s.integer("k"), along, weft::smallest);
    s.out(top.values);
    s.out(top.indices);
  });
  t["nonzero"] = t["argwhere"] = plain([](const auto& x) { return nonzero(x); });
  t["searchsorted"] = [](Sample& s) {
    if (s.given("sorter")) s.reject("searches with an order of their own");
    const bool right = s.word("side") == "right" || s.flag("right");
    const auto side = right ? weft::Side::right : weft::Side::left;
    const Double sorted = s.tensor("input");
    const Ints found = sorted.rank() == 1
                           ? Ints(searchsorted(sorted, s.tensor("values"), side))
                           : Ints(weft::searchsorted_rows(sorted, s.tensor("values"), side));
    s.flag("out_int32") ? s.out(weft::cast<std::int32_t>(found)) : s.out(found);
  };
  t["bucketize"] = [](Sample& s) {
    // weft's `right` closes the buckets below, PyTorch's opens them.
    const Ints found = weft::bucketize(s.tensor("input"), s.tensor("boundaries"), s.flag("right"));
    s.flag("out_int32") ? s.out(weft::cast<std::int32_t>(found)) : s.out(found);
  };
  t["isin"] = [](Sample& s) {
    s.out(weft::isin(s.tensor("input"), s.tensor("test_elements"), s.flag("invert")));
  };
});

}  // namespace conformance
