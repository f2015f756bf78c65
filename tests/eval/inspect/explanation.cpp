// SPDX-License-Identifier: Apache-2.0
#include <weft/eval/inspect/explanation.hpp>

#include "test.hpp"

using weft::Explanation;
using weft::detail::bytes_text;
using weft::detail::rate_text;
using weft::detail::seconds_text;

TEST_CASE("sizes, times and rates are short") {
  CHECK(bytes_text(0) == "0 B");
  CHECK(bytes_text(1023) == "1023 B");
  CHECK(bytes_text(1536) == "1.50 KiB");
  CHECK(bytes_text(64 << 20) == "64.0 MiB");
  CHECK(bytes_text(int64_t{200} << 30) == "200 GiB");
  CHECK(seconds_text(2) == "2 s");
  CHECK(seconds_text(27.3e-6) == "27.3 us");
  CHECK(seconds_text(0) == "0 ns");
  CHECK(rate_text(4.92e12) == "4.92 TB/s");
  CHECK(rate_text(53e9) == "53 GB/s");
}

TEST_CASE("an explanation adds up its kernels") {
  Explanation e;
  CHECK(e.kernel_count() == 0);
  CHECK(e.expected_seconds() == 0);
  e.bandwidth = 1000;
  for (int launches : {1, 3}) {
    Explanation::Kernel kernel;
    kernel.kind = "element-wise";
    kernel.work = "over (4,)";
    kernel.launches = launches;
    kernel.blocks = 7;
    kernel.threads = 256;
    kernel.cluster = 2;
    kernel.shared_bytes = 2048;
    kernel.reads.push_back({"float32", {4}, 16, 2, "kept in shared memory", nullptr});
    kernel.writes.push_back({"float32", {4}, 16, 1, "result", nullptr});
    e.kernels.push_back(kernel);
  }
  CHECK(e.kernel_count() == 4);
  CHECK(e.bytes_read() == 32);
  CHECK(e.bytes_written() == 32);
  CHECK(e.expected_seconds() == doctest::Approx(0.064));
  const weft::Text text = to_string(e);
  CHECK(doctest::String(text.c_str()) ==
        doctest::Contains("4 kernels, 32 B read, 32 B written, 64 ms at 1e-06 GB/s\n"
                          "  1. element-wise over (4,)\n"
                          "     7 blocks of 256 threads, in clusters of 2, 2.00 KiB of shared "
                          "memory each\n"
                          "     reads  float32 (4,), 16 B, occurs 2 times, kept in shared memory\n"
                          "     writes float32 (4,), 16 B, result\n"));
  CHECK(doctest::String(text.c_str()) == doctest::Contains("memory each, in 3 launches\n"));
}

TEST_CASE("kernels whose launches are known are estimated, beside the bound") {
  Explanation e;
  e.device = "cuda:0 (a GPU)";
  e.bandwidth = e.machine.bandwidth = 1e12;
  e.machine.multiprocessors = 100;
  e.machine.clock = 1e9;
  Explanation::Kernel kernel;
  kernel.kind = "element-wise";
  kernel.work = "over (1000000,)";
  kernel.blocks = 1000;
  kernel.threads = 256;
  kernel.elements = 1'000'000;
  kernel.reads.push_back({"float32", {1'000'000}, 400'000'000, 1, "", nullptr});
  e.kernels.push_back(kernel);
  CHECK(e.estimated_seconds() == 0);
  weft::detail::estimate_kernels(e);
  CHECK(e.estimated_seconds() == doctest::Approx(400e-6 / 0.92 + 2.2e-6));
  const auto shown = [&] { return doctest::String(to_string(e).c_str()); };
  CHECK(shown() == doctest::Contains(", 400 us at 1 TB/s, estimate 437 us\n"));
  CHECK(shown() == doctest::Contains("\n     1000 blocks of 256 threads"
                                     "\n     estimate 437 us: memory; bound 400 us"
                                     "\n     reads  float32"));
  e.kernels[0].cost.special = 1000;
  weft::detail::estimate_kernels(e);
  CHECK(shown() == doctest::Contains("estimate 627 us: special functions; bound 400 us"));
  e.opaque = 1;
  CHECK(e.estimated_seconds() == 0);
  e.opaque = 0;
  e.kernels.push_back({});  // one of which nothing is known
  CHECK(e.estimated_seconds() == 0);
}
