// SPDX-License-Identifier: Apache-2.0
#include <weft/eval/inspect/explain.hpp>

#include <sstream>

#include "test.hpp"
#include "weft/explain.hpp"

#ifdef __CUDACC__
#include "weft/cuda/scan/scan.hpp"
#endif

using doctest::Contains;
using weft::axis;
using weft::explain;
using weft::Explanation;
using weft::keepdims;
using weft::Shape;
using weft::Tensor;

namespace {
doctest::String shown(const Explanation& e) { return to_string(e).c_str(); }
}  // namespace

TEST_CASE_TEMPLATE("an element-wise statement is one kernel that reads each operand once", D,
                   TEST_DEVICES) {
  const auto x = weft::ones({40, 50}, D{});
  const auto b = weft::ones({50}, D{});
  const Explanation e = explain(tanh(x * x + b) * 2 + x);
  CHECK(e.kernel_count() == 1);
  CHECK(e.kernels.size() == 1);
  CHECK(e.kernels[0].reads.size() == 2);
  CHECK(e.kernels[0].reads[0].occurrences == 3);
  CHECK(e.kernels[0].reads[0].shape == Shape{40, 50});
  CHECK(e.kernels[0].reads[1].bytes == 200);
  CHECK(e.bytes_read() == 40 * 50 * 4 + 50 * 4);
  CHECK(e.bytes_written() == 40 * 50 * 4);
  CHECK(shown(e) == Contains(e.on_cpu ? ": 1 loop, " : ": 1 kernel, "));
  CHECK(shown(e) == Contains("add(mul(tanh(add(mul(float, float), float)), number), float)\n"));
  CHECK(shown(e) == Contains("8.01 KiB read, 7.81 KiB written"));
  CHECK(shown(e) == Contains("reads  float32 (40, 50), 7.81 KiB, occurs 3 times"));
  CHECK(shown(e) == Contains("reads  float32 (50,), 200 B\n"));
  CHECK(shown(e) == Contains("writes float32 (40, 50), 7.81 KiB, result"));
}

TEST_CASE_TEMPLATE("softmax is one row program", D, TEST_DEVICES) {
  const auto x = weft::ones({64, 50}, D{});
  const Explanation e = explain(softmax(x, axis(-1)));
  CHECK(e.kernel_count() == 1);
  CHECK(e.reductions == 3);
  CHECK(e.repeated == 0);
  CHECK(e.kernels[0].kind == "row program");
  CHECK(e.kernels[0].reductions == 2);
  CHECK(e.kernels[0].equal == 1);
  CHECK(e.bytes_read() == 64 * 50 * 4);
  CHECK(e.bytes_written() == 64 * 50 * 4);
  CHECK(shown(e) == Contains("over 64 rows of 50: max, sum; 1 equals one of these"));
}

TEST_CASE_TEMPLATE("reductions along other axes run before, into temporaries", D, TEST_DEVICES) {
  const auto x = weft::ones({64, 50}, D{});
  const Explanation e =
      explain((x - mean(x, axis(0))) / sum(exp(x - max(x, axis(1), keepdims)), axis(1), keepdims));
  REQUIRE(e.kernels.size() == 3);
  CHECK(e.kernels[0].reductions == 1);
  CHECK(e.kernels[0].writes[0].note == "temporary");
  CHECK(e.kernels[1].reductions == 2);
  CHECK(e.kernels[2].reductions == 0);
  REQUIRE(e.kernels[2].reads.size() == 3);
  CHECK(e.kernels[2].reads[1].bytes == 50 * 4);
  CHECK(e.kernels[2].reads[1].note == "temporary");
  CHECK(e.kernels[2].reads[2].bytes == 64 * 4);
  CHECK(e.bytes_read() == 3 * 64 * 50 * 4 + (50 + 64) * 4);
  CHECK(e.bytes_written() == 64 * 50 * 4 + (50 + 64) * 4);
}

TEST_CASE_TEMPLATE("a reduction, a copy, positions and numbers", D, TEST_DEVICES) {
  const auto x = weft::ones({64, 50}, D{});
  const Explanation total = explain(sum(x * x, axis(1)));
  CHECK(total.reductions == 1);
  CHECK(total.kernels[0].reductions == 1);
  CHECK(total.kernels[0].reads.size() == 1);
  CHECK(total.bytes_read() == 64 * 50 * 4);
  CHECK(shown(total) == Contains("sum of 64 results from 50 each"));

  const auto column = x(weft::all, weft::slice(3, 4)).transpose(0, 1);
  CHECK(explain(column).bytes_read() == 64 * 4);
  CHECK(explain(column).name == "copy(float)");
  CHECK(explain(column.expand({50, 64})).bytes_read() == 64 * 4);
  const Explanation counted = explain(weft::generated({8}, weft::op::affine<int>{0, 1}));
  CHECK(counted.bytes_read() == 0);
  CHECK(counted.bytes_written() == 32);
  CHECK(explain(weft::zeros({0, 3}, D{}) + 1).kernel_count() == 0);
  CHECK(explain(weft::full({}, 1.0, D{}) * 2).kernel_count() == 1);
}

TEST_CASE_TEMPLATE("what is gathered is an operand", D, TEST_DEVICES) {
  const auto table = weft::ones({1000, 8}, D{});
  const auto rows = weft::zeros<int>({5}, D{});
  const Explanation e = explain(index_select(table, rows, axis(0)) + 1);
  CHECK(e.kernel_count() == 1);
  CHECK(doctest::String(e.kernels[0].kind.c_str()) == Contains("gather"));
  CHECK(e.bytes_read() == 5 * 8 * 4 + 5 * 4);
  CHECK(shown(e) == Contains("reads  gathered (5, 8), 160 B"));
}

TEST_CASE_TEMPLATE("scans and what else has its own algorithm is named, not run", D, TEST_DEVICES) {
  const auto x = weft::ones({64, 50}, D{});
  const Explanation e =
      explain(cumsum(x, axis(0)) * 2 + x);  // along the last axis CUDA has a kernel
  CHECK(e.opaque == 1);
  REQUIRE(e.kernels.size() == 2);
  CHECK(e.kernels[1].reads.size() == 2);
  CHECK(e.kernels[1].reads[0].note == "temporary");
  CHECK(e.kernel_count() == 1);
  CHECK(shown(e) == Contains(e.on_cpu ? ": 1 loop, 25.0 KiB read" : ": 1 kernel, 25.0 KiB read"));
  CHECK(shown(e) == Contains(", and 1 part by other algorithms, whose "));
  CHECK(shown(e) == Contains("1. evaluated before: cumsum(float), (64, 50), by its own algorithm: "
                             "not counted\n"));
  const Explanation scan = explain(cumsum(x, axis(1)));
  CHECK(scan.opaque == 1);
  CHECK(scan.kernel_count() == 0);
  CHECK(shown(scan) == Contains(": 1 part by other algorithms, whose "));
  CHECK(shown(scan) == Contains("1. evaluated: cumsum(float), (64, 50), by its own algorithm: "));
  CHECK(doctest::String(to_string(scan).c_str()) != Contains("0 B read"));
}

TEST_CASE_TEMPLATE("several expressions in one pass", D, TEST_DEVICES) {
  const auto x = weft::ones({64, 50}, D{});
  const auto y = weft::ones({64, 50}, D{});
  const Explanation e = explain(fuse(x + y, x * y));
  CHECK(e.kernel_count() == 1);
  CHECK(e.kernels[0].reads.size() == 2);
  CHECK(e.kernels[0].reads[0].occurrences == 2);
  CHECK(e.kernels[0].writes.size() == 2);
  CHECK(shown(e) == Contains("\n  float32, float32 (64, 50) on "));
  const auto top = max(x, axis(-1), keepdims);
  const Explanation rows = explain(fuse(x - top, exp(x - top)));
  CHECK(rows.kernel_count() == 1);
  CHECK(rows.kernels[0].reductions == 1);
  CHECK(rows.kernels[0].equal == 1);
  CHECK(rows.kernels[0].writes.size() == 2);
  CHECK(doctest::String(rows.dot().c_str()) == Contains("cluster0"));
}

TEST_CASE_TEMPLATE("a given bandwidth gives the time, and a stream takes the text", D,
                   TEST_DEVICES) {
  const auto x = weft::ones({1000}, D{});
  const Explanation e = explain(x + x, {.bandwidth = 1e9});
  CHECK(e.expected_seconds() == doctest::Approx(8e-6));
  std::ostringstream out;
  out << e;
  CHECK(out.str() == std::string(to_string(e)));
  CHECK(shown(e) == Contains("8 us at 1 GB/s"));
}

TEST_CASE_TEMPLATE("explain evaluates and allocates nothing", D, TEST_DEVICES) {
  const auto x = weft::ones({64, 50}, D{});
  const auto before = x.storage()->current_version();
#ifdef __CUDACC__
  weft::cuda::reset_peak_memory_stats();
  const auto held = weft::cuda::max_memory_allocated();
#else
  weft::cpu::reset_peak_memory_stats();
  const auto held = weft::cpu::max_memory_allocated();
#endif
  CHECK(explain(x - mean(x, axis(0))).kernel_count() >= 2);
#ifdef __CUDACC__
  CHECK(weft::cuda::max_memory_allocated() == held);
#else
  CHECK(weft::cpu::max_memory_allocated() == held);
#endif
  CHECK(x.storage()->current_version() == before);
  CHECK(x.storage()->owners == 1);
}

TEST_CASE_TEMPLATE("the graph has a cluster for each kernel and each operand once", D,
                   TEST_DEVICES) {
  const auto x = weft::ones({63, 49}, D{});
  const doctest::String dot = explain(x - mean(x, axis(0)) * 2).dot().c_str();
  CHECK(dot == Contains("digraph expression {"));
  CHECK(dot == Contains("subgraph cluster0 {\n    label=\"1. "));
  CHECK(dot == Contains("mean (63, 49) to (49,)"));
  CHECK(dot == Contains("subgraph cluster1 {\n    label=\"2. element-wise"));
  CHECK(dot == Contains("label=\"float32 (63, 49)\", shape=box"));
  CHECK(std::string(dot.c_str()).find("float32 (63, 49)") ==
        std::string(dot.c_str()).rfind("float32 (63, 49)"));
}
