// SPDX-License-Identifier: Apache-2.0
#include <weft/eval/rows/plan.hpp>

#include <vector>

#include "test.hpp"

using weft::axis;
using weft::keepdims;
using weft::Shape;
using weft::Strides;
using namespace weft::detail;

namespace {

struct Recorded {
  std::vector<RowTask> tasks;
  std::vector<Strides> strides;  // of the last one's operands
  bool complete = false;         // the outputs were among them
};

/// The tasks that an expression is cut into, and none of them run.
template <class Given>
Recorded cut(
    const Given& given, bool (*fuses)(int64_t, int64_t) = [](int64_t, int64_t) { return true; },
    bool divides_rows = false, bool merges = false) {
  const auto& e = node(given);
  using E = std::remove_cvref_t<decltype(e)>;
  using Lower = RowLowering<E>;
  constexpr int leaves = count(typename Lower::types{});
  constexpr int reductions = Lower::reductions;
  constexpr int n = 1 + leaves + reductions;
  Operand operands[n];
  RowNode nodes[reductions];
  Lower::template lower<1, 0>(e, operands, nodes);
  for (RowNode& node : nodes) node.parent = node.parent == RowNode::none ? -1 : node.parent;
  const Shape shape = e.shape();
  operands[0].set(nullptr, 4, shape, contiguous_strides(shape), nullptr);
  const int last_leaf[] = {1 + leaves};
  RowTree tree;
  tree.shapes = &shape;
  tree.outputs = 1;
  tree.last_leaf = last_leaf;
  tree.nodes = nodes;
  tree.reductions = reductions;
  tree.operands = operands;
  tree.leaves = leaves;
  tree.fuses = fuses;
  tree.divides_rows = divides_rows;
  tree.merges = merges ? ~std::uint32_t{0} : 0;
  struct Context {
    Recorded out;
    RowTree& tree;
  } context{{}, tree};
  const auto launch = [](void* opaque, const RowTask& task, Operand* placed) {
    auto& c = *static_cast<Context*>(opaque);
    c.out.tasks.push_back(task);
    const int rank = task.geometry.kept.rank() + task.geometry.reduced.rank();
    c.out.strides.clear();
    for (const Operand* x = placed; x != placed + c.tree.count(); ++x) {
      c.out.strides.emplace_back();
      for (int d = 0; d < rank; ++d) c.out.strides.back().push_back(x->stride[d]);
    }
    if (task.target < 0) return;
    static char memory[64];
    const Shape& result = c.tree.nodes[task.target].result;
    c.tree.operands[c.tree.value_of(task.target)].set(memory, 4, result, contiguous_strides(result),
                                                      nullptr);
  };
  context.out.complete = RowPlanner(tree, launch, &context).run();
  return context.out;
}

const auto a = weft::zeros({6, 4});
const auto square_matrix = weft::zeros({4, 4});

}  // namespace

TEST_CASE("reductions along the same rows share a task") {
  const auto e = exp(a - max(a, axis(-1), keepdims));
  const Recorded r = cut(e / sum(e, axis(-1), keepdims));
  REQUIRE(r.tasks.size() == 1);
  CHECK(r.complete);
  const RowTask& task = r.tasks[0];
  CHECK(task.target == -1);
  CHECK(task.geometry == RowGeometry{{6}, {4}});
  CHECK(task.along_row[0]);
  // max for the numerator, max inside the sum, which is the same, and the sum
  CHECK(task.mode[0] == RowMode::compute);
  CHECK(task.mode[1] == RowMode::same);
  CHECK(task.same[1] == 0);
  CHECK(task.mode[2] == RowMode::compute);
}

TEST_CASE("an output with one element a row") {
  for (const Recorded& r : {cut(sqrt(mean(square(a), axis(-1)) + 1.F)),
                            cut(sqrt(mean(square(a), axis(-1), keepdims) + 1.F)),
                            cut(sqrt(sum(a, axis(0)))), cut(1.F + sum(a))}) {
    REQUIRE(r.tasks.size() == 1);
    CHECK(r.complete);
    CHECK(r.tasks[0].mode[0] == RowMode::compute);
    CHECK_FALSE(r.tasks[0].along_row[0]);
  }
  CHECK(cut(sqrt(sum(a, axis(0)))).tasks[0].geometry == RowGeometry{{4}, {6}});
  CHECK(cut(1.F + sum(a)).tasks[0].geometry == RowGeometry{{}, {6, 4}});
}

TEST_CASE("axes in the middle, and several") {
  const auto x = weft::zeros({2, 3, 4, 5});
  const Recorded r = cut(x / sum(x, axis(0, 2), keepdims));
  REQUIRE(r.tasks.size() == 1);
  CHECK(r.tasks[0].geometry == RowGeometry{{3, 5}, {2, 4}});
}

TEST_CASE("a reduction that lies across the rows is stored first") {
  // The maximum of row i is taken from column i.
  const Recorded across = cut(square_matrix - max(square_matrix, axis(-1)));
  CHECK_FALSE(across.complete);
  REQUIRE(across.tasks.size() == 1);
  CHECK(across.tasks[0].target == 0);

  // The column means vary along the row: not part of a row program.
  const Recorded both = cut((a - mean(a, axis(0), keepdims)) / sum(a, axis(1), keepdims));
  CHECK_FALSE(both.complete);
  CHECK(both.tasks.size() == 2);

  // One value for all rows is loaded by the task of the outputs.
  const Recorded whole = cut(a / sum(a, axis(1), keepdims) + max(a));
  CHECK(whole.complete);
  REQUIRE(whole.tasks.size() == 2);
  CHECK(whole.tasks[0].target == 1);
  CHECK(whole.tasks[1].target == -1);
  CHECK(whole.tasks[1].mode[0] == RowMode::compute);
  CHECK(whole.tasks[1].mode[1] == RowMode::load);
}

TEST_CASE("a reduction of a reduction along other rows") {
  const Recorded r = cut(1.F + max(sum(a, axis(1)), axis(0)));
  REQUIRE(r.tasks.size() >= 2);
  CHECK(r.tasks.size() <= 3);
  CHECK(r.tasks[0].target == 0);
  CHECK(r.tasks[0].geometry == RowGeometry{{6}, {4}});
  CHECK(r.tasks[1].geometry == RowGeometry{{}, {6}});
  CHECK(r.tasks[1].mode[0] == RowMode::load);
  CHECK(r.tasks[1].mode[1] == RowMode::compute);
}

TEST_CASE("equal reductions are stored once") {
  const Recorded r =
      cut(square_matrix - max(square_matrix, axis(-1)) * max(square_matrix, axis(-1)));
  CHECK(r.tasks.size() == 1);
}

TEST_CASE("along last axes operands are broadcast, those of an equal reduction not read") {
  const auto x = weft::zeros({3, 4});
  const auto w = weft::zeros({4});
  const auto c = x - weft::max(x, axis(1), keepdims);
  const Recorded r = cut(c * w * weft::sum(c * x(weft::slice(0, 1)), axis(1), keepdims));
  REQUIRE(r.tasks.size() == 1);
  CHECK(r.tasks[0].mode[0] == RowMode::compute);
  CHECK(r.tasks[0].mode[1] == RowMode::same);
  CHECK(r.tasks[0].same[1] == 0);
  CHECK(r.tasks[0].mode[2] == RowMode::compute);
  CHECK(r.tasks[0].along_row[0]);
  const Strides whole{4, 1};
  const Strides row{0, 1};
  const Strides none{0, 0};
  // z, x, x of the first max, w, x, x of the second max, x's first row, and three values
  const Strides expected[] = {whole, whole, whole, row, whole, none, row, none, none, none};
  REQUIRE(r.strides.size() == 10);
  for (std::size_t i = 0; i < 10; ++i) CHECK(r.strides[i] == expected[i]);
}

TEST_CASE("the device may prefer reductions by themselves") {
  const auto e = exp(a - max(a, axis(-1), keepdims));
  const Recorded r = cut(e / sum(e, axis(-1), keepdims), [](int64_t, int64_t) { return false; });
  CHECK_FALSE(r.complete);
  for (const RowTask& task : r.tasks) CHECK(task.target >= 0);
  CHECK(r.tasks.size() == 2);
}

TEST_CASE("few long rows that are only reduced are one task where blocks divide them") {
  const auto never = [](int64_t, int64_t) { return false; };
  const auto range = max(a, axis(1)) - min(a, axis(1));
  CHECK_FALSE(cut(range, never).complete);
  CHECK(cut(range, never, true).complete);
  CHECK(cut(range, never, true).tasks.size() == 1);
  const Recorded along =
      cut(max(a, axis(1), keepdims) - a * min(a, axis(1), keepdims), never, true);
  CHECK_FALSE(along.complete);  // the output varies along the rows
  const auto e = exp(a - max(a, axis(1), keepdims));
  CHECK_FALSE(cut(sum(e, axis(1)) + min(a, axis(1)), never, true).complete);      // two passes
  CHECK_FALSE(cut(max(a, axis(1)) * 2 + max(a, axis(1)), never, true).complete);  // just one
}

TEST_CASE("a total of a formula of rows' values is made with them, where the device merges rows") {
  const auto always = [](int64_t, int64_t) { return true; };
  const auto tasks = [&](const auto& e, bool merges) {
    return cut(e, always, false, merges).tasks;
  };
  const auto rows = a / norm(a, axis(1), keepdims);
  const auto total = 1.F + sum(rows);
  const std::vector<RowTask> one = tasks(total, true);
  REQUIRE(one.size() == 2);
  CHECK(one[0].in_pieces);
  CHECK(one[0].target == 1);
  CHECK(one[0].mode[0] == RowMode::compute);
  CHECK(one[0].mode[1] == RowMode::compute);
  CHECK(one[0].geometry == RowGeometry{{6}, {4}});
  CHECK_FALSE(one[1].in_pieces);
  CHECK(tasks(1.F + sum(a / norm(a, axis(0), keepdims)), true)[0].geometry ==
        RowGeometry{{4}, {6}});
  const auto none = [&](const auto& e, bool merges) {
    bool found = false;
    for (const RowTask& task : tasks(e, merges)) found = found || task.in_pieces;
    return !found;
  };
  CHECK(none(total, false));
  CHECK(none(1.F + sum(norm(a, axis(1), keepdims)), true));  // an element for each row
  CHECK(none(1.F + sum(rows, axis(1)), true));               // no total
  CHECK(none(1.F + sum(norm(square_matrix, axis(1), keepdims) * square_matrix /
                       norm(square_matrix, axis(0), keepdims)),
             true));  // rows of two kinds
  CHECK(none(1.F + sum(weft::zeros({2, 6, 4}) * norm(a, axis(1), keepdims)), true));
}

TEST_CASE("no task reads a value without elements") {
  const auto none = weft::zeros({3, 0});
  const auto deep = sum(none - sum(weft::zeros({5, 0}), axis(0)), axis(1)) + 1.F;
  for (const RowTask& task : cut(deep).tasks) CHECK(task.mode[0] != RowMode::load);
}
