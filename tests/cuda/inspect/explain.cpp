// SPDX-License-Identifier: Apache-2.0
#include <weft/cuda/inspect/explain.hpp>
#include <weft/cuda/inspect/explain_reduction.hpp>

#include "cuda/graph_nodes.hpp"
#include "test.hpp"
#include "weft/cuda/algorithms.hpp"
#include "weft/explain.hpp"

using weft::axis;
using weft::Cuda;
using weft::Explanation;
using weft::keepdims;

namespace {
/// The explanation, after checking its number of kernels against a capture.
template <class E>
Explanation explained(const E& e) {
  const Explanation out = explain(e);
  CAPTURE(std::string(to_string(out)));
  CHECK(out.kernel_count() == captured([&] { auto fresh = e.eval(); }).kernels);
  return out;
}
const char* kind(const Explanation& e, std::size_t kernel = 0) {
  return e.kernels.size() > kernel ? e.kernels[kernel].kind.c_str() : "";
}
}  // namespace

TEST_CASE("launches of element-wise kernels, planned without a GPU") {
  weft::detail::Operand operands[2];
  weft::Explanation::Kernel kernel;
  const auto plan = [&](const weft::Shape& shape, std::uintptr_t address, bool aligned) {
    for (auto& x : operands) {
      x.set(reinterpret_cast<void*>(address), 4, shape, contiguous_strides(shape), nullptr);
    }
    kernel = {};
    kernel.kind = "element-wise";
    int places[2];
    weft::cuda::detail::explain_for_each(kernel, {"test"}, Cuda{0}, shape, operands, 2, places,
                                         {1, 4, aligned}, nullptr);
  };
  plan({1000, 1000}, 4096, true);
  CHECK(kernel.kind == "aligned element-wise");
  CHECK(kernel.blocks == (250000 + 255) / 256);
  CHECK(kernel.threads == 256);
  CHECK(kernel.launches == 1);
  plan({1000, 1000}, 4100, true);
  CHECK(kernel.kind == "element-wise");
  plan({1000, 1000}, 4096, false);
  CHECK(kernel.kind == "element-wise");
  plan({int64_t{1} << 31}, 4096, false);
  CHECK(kernel.launches == 2);
}

TEST_CASE("a kernel for equal parts has the blocks of fewer operands") {
  const weft::Shape shape{4096, 2048};
  const auto blocks = [&](bool equal) {
    weft::cuda::ForEachKernels kernels{1, 4, true};
    kernels.distinct = 3;
    kernels.assumed = [](const void* program, const weft::detail::Operand*, int, int) {
      return *static_cast<const bool*>(program);
    };
    weft::detail::Operand operands[6];
    for (auto& x : operands) x.set(reinterpret_cast<void*>(4096), 4, shape, {2048, 1}, nullptr);
    operands[1].stride[0] = 0;
    int places[6];
    weft::Explanation::Kernel kernel;
    weft::cuda::detail::explain_for_each(kernel, {"test"}, Cuda{0}, shape, operands, 6, places,
                                         kernels, &equal);
    return kernel.blocks;
  };
  CHECK(blocks(false) == 4096 * 2048 / 4 / 256);
  CHECK(blocks(true) == 4096 * 2048 / 16 / 256);
}

TEST_CASE("a kernel that was planned without a GPU is estimated") {
  const weft::Shape shape{16384, 4096};
  weft::detail::Operand operands[2];
  for (auto& x : operands) {
    x.set(reinterpret_cast<void*>(4096), 4, shape, contiguous_strides(shape), nullptr);
  }
  Explanation e;
  e.device = "cuda";
  e.bandwidth = 4e12;
  weft::cuda::Properties gpu;
  gpu.multiprocessors = 132;
  gpu.bandwidth = 4e12;
  gpu.l2_bytes = 50 << 20;
  e.machine = weft::cuda::detail::machine_of(gpu, 2'000'000, 2);
  using Types = weft::detail::TypeList<float>;
  using Program = weft::Apply<weft::op::tanh, weft::Arg<1, float>>;
  weft::detail::add_kernel(e, "element-wise", "", shape, operands, Types{}, Types{});
  e.kernels[0].cost = weft::element_cost<Program>;
  e.kernels[0].elements = shape.size();
  int places[2];
  weft::cuda::detail::explain_for_each(e.kernels[0], {"test"}, Cuda{}, shape, operands, 2, places,
                                       {1, 4, true}, nullptr);
  weft::detail::estimate_kernels(e);
  CHECK(e.kernels[0].cost.slots == weft::op_cost<weft::op::tanh>.slots);
  CHECK(e.expected_seconds() == doctest::Approx(134e-6).epsilon(0.01));
  CHECK(e.estimated_seconds() == doctest::Approx(157e-6).epsilon(0.01));
  CHECK(doctest::String(to_string(e).c_str()) ==
        doctest::Contains("\n     65536 blocks of 256 threads"
                          "\n     estimate 157 us: memory; bound 134 us\n"));
}

TEST_CASE("explain says that computed values of rows stay in registers [gpu]") {
  const auto x = weft::ones<float>({113, 14, 49, 17}, weft::Cuda{});
  const auto b = weft::ones<float>({17}, weft::Cuda{});
  const Explanation e = explained(log_softmax(sign(x) / (square(tanh(b)) + 1.28F), weft::axis(-1)));
  CHECK(doctest::String(to_string(e).c_str()) ==
        doctest::Contains("occurs 3 times, in values kept in registers"));
  CHECK(e.kernels[0].passes == 1);
}

TEST_CASE("a row program that loops reads its operands again, from L2 where they fit [gpu]") {
  const auto x = weft::ones({64, 4096 * 33 + 1}, Cuda{});
  const Explanation e = explained(softmax(x, axis(-1)));
  CHECK(e.estimated_seconds() > e.expected_seconds());
  CHECK(e.kernels[0].cost.slots > weft::op_cost<weft::op::exp>.slots);
  CHECK(e.kernels[0].passes == 2);  // max and sum(exp(x - max)) in one
  CHECK(e.kernels[0].read_again == x.size() * 4);
  const doctest::String text = to_string(e).c_str();
  CHECK(text == doctest::Contains(
                    "\n     2 passes over each row, none kept in registers: rows are too long\n"));
  CHECK(text == doctest::Contains("occurs 3 times, read 2 times, from a cache where it fits\n"));
  CHECK(explained(softmax(weft::ones({64, 4096}, Cuda{}), axis(-1))).kernels[0].passes == 1);
}

TEST_CASE("explain counts the kernels that a capture counts [gpu]") {
  const auto x = weft::ones({300, 700}, Cuda{});
  const auto row = weft::ones({700}, Cuda{});
  CHECK(explained(tanh(x * x + row) * 2).kernels.size() == 1);
  CHECK(doctest::String(kind(explained(softmax(x, axis(-1))))) == "row program");
  CHECK(explained(layer_norm(x, row, row)).kernel_count() == 1);
  CHECK(explain(x.transpose(0, 1)).kernel_count() ==
        captured([&] { auto copy = x.transpose(0, 1).clone(); }).kernels);
  const Explanation transposed = explained(x.transpose(0, 1) + 1);
  CHECK(doctest::String(kind(transposed)) == "staged element-wise");
  CHECK(transposed.kernels[0].shared_bytes > 0);
  explained(index_select(x, weft::zeros<int>({40}, Cuda{}), axis(0)));
  explained(sum(x, axis(1)));
  explained(sum(x, axis(0)));
  explained(sum(x * 2));
  explained(x - mean(x, axis(0)));
  explained(x / sum(x));
  explained((x - mean(x, axis(0))) / sum(exp(x - max(x, axis(1), keepdims)), axis(1), keepdims));
  const auto wide = weft::ones({2, 1 << 20}, Cuda{});
  const Explanation split = explained(sum(wide, axis(1)));
  CHECK(doctest::String(kind(split, 1)) == "merge");
  CHECK(explained(softmax(wide, axis(-1))).kernel_count() > 1);
  CHECK(explained(softmax(weft::ones({16, 200000}, Cuda{}), axis(-1))).kernels[0].cluster > 1);
}

TEST_CASE("explain knows the GPU [gpu]") {
  const auto x = weft::ones({256, 4096}, Cuda{});
  const Explanation e = explained(softmax(x, axis(-1)));
  CHECK(e.bandwidth == weft::cuda::properties().bandwidth);
  CHECK(doctest::String(e.device.c_str()) == doctest::Contains(weft::device_name(Cuda{})));
  CHECK(e.expected_seconds() == doctest::Approx(2 * 256 * 4096 * 4 / e.bandwidth));
  CHECK(e.kernels[0].blocks > 0);
  CHECK(e.kernels[0].threads > 0);
  CHECK(e.kernels[0].shared_bytes > 0);
  CHECK(e.kernels[0].reads.size() == 1);
  MESSAGE(std::string(to_string(e)));
  const auto h = weft::ones<weft::half>({256, 4096}, Cuda{});
  CHECK(doctest::String(kind(explained(h * h + h))) == "aligned element-wise");
}

TEST_CASE("a scan with what reads it is a kernel, and its own value is not read [gpu]") {
  const auto x = weft::ones({64, 50}, Cuda{});
  const auto b = weft::ones({50}, Cuda{});
  const auto scan = cumsum(x, axis(1));
  const auto check = [](const auto& e, std::size_t operands, std::int64_t bytes) {
    const Explanation out = explained(e);
    CAPTURE(std::string(to_string(out)));
    REQUIRE(out.kernels.size() == 1);
    CHECK(std::string(kind(out)) == "scan");
    CHECK(out.kernels[0].reads.size() == operands);
    CHECK(out.bytes_read() == bytes);
    CHECK(out.bytes_written() == 64 * 50 * 4);
    CHECK(out.kernels[0].blocks > 0);
  };
  check(scan * 2 + x, 1, 64 * 50 * 4);
  check(scan * scan + b, 2, 64 * 50 * 4 + 50 * 4);
  check(scan * scan * scan, 1, 64 * 50 * 4);
  check(x * x - scan, 1, 64 * 50 * 4);
  const Explanation apart = explain(cumsum(x, axis(0)) - scan);
  CHECK(apart.opaque == 2);
}
