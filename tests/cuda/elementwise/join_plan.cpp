// SPDX-License-Identifier: Apache-2.0
#include "weft/cuda/elementwise/join_plan.hpp"

#include "test.hpp"

using weft::int64_t;
using weft::Shape;
using weft::Strides;
using weft::on_cuda::JoinedRows;
using weft::on_cuda::JoinLaunch;
using weft::on_cuda::JoinSource;
using weft::on_cuda::detail::find_rows;
using weft::on_cuda::detail::has_short_pieces;
using weft::on_cuda::detail::plan_join;

namespace {

char* at(std::uintptr_t address) { return reinterpret_cast<char*>(address); }

}  // namespace

TEST_CASE("rows of pieces are evenly far apart, or not") {
  JoinSource x;
  CHECK(find_rows(Shape{4, 5, 6}, Strides{30, 6, 1}, 1, x));
  CHECK(x.width == 30);
  CHECK(x.pitch == 30);
  CHECK(find_rows(Shape{4, 5, 6}, Strides{30, 6, 1}, 3, x));
  CHECK(x.width == 1);
  CHECK(x.pitch == 1);
  CHECK(find_rows(Shape{4, 5, 6}, Strides{50, 10, 1}, 2, x));  // a slice of the last axis
  CHECK(x.width == 6);
  CHECK(x.pitch == 10);
  CHECK(find_rows(Shape{4, 5}, Strides{0, 0}, 2, x));  // one element
  CHECK(x.pitch == 0);
  CHECK(find_rows(Shape{1, 5, 1, 6}, Strides{7, 9, 3, 1}, 2, x));
  CHECK(x.width == 6);
  CHECK(x.pitch == 9);
  CHECK(find_rows(Shape{1, 1}, Strides{1, 1}, 1, x));
  CHECK_FALSE(find_rows(Shape{4, 5, 6}, Strides{50, 10, 1}, 1, x));
  CHECK_FALSE(find_rows(Shape{4, 5}, Strides{1, 4}, 0, x));
  CHECK_FALSE(find_rows(Shape{4, 5, 6}, Strides{31, 6, 1}, 2, x));
}

TEST_CASE("short pieces of two to 64 parts are joined at once") {
  JoinSource parts[2] = {{at(4096), 5, 5}, {at(8192), 127, 127}};
  CHECK(has_short_pieces(parts, 2, 4));
  parts[1].width = 128;
  CHECK_FALSE(has_short_pieces(parts, 2, 4));
  CHECK(has_short_pieces(parts, 2, 2));
  CHECK_FALSE(has_short_pieces(parts, 1, 2));
  CHECK_FALSE(has_short_pieces(parts, 65, 2));
  CHECK_FALSE(has_short_pieces(parts, 2, 12));
}

TEST_CASE("words are as wide as pieces and addresses allow") {
  JoinedRows rows;
  JoinLaunch launch;
  const auto planned = [&](std::uintptr_t to, JoinSource a, JoinSource b, int itemsize) {
    const JoinSource parts[] = {a, b};
    CHECK(plan_join(at(to), 1000, parts, 2, itemsize, rows, launch) == 1000);
    return launch;
  };
  CHECK(planned(4096, {at(0), 1, 1}, {at(64), 1, 1}, 2).merges);
  CHECK(launch.word == 2);
  CHECK(launch.blocks == 1);
  CHECK_FALSE(planned(4098, {at(0), 1, 1}, {at(64), 1, 1}, 2).merges);
  CHECK(rows.head == 1);
  CHECK_FALSE(planned(4096, {at(2), 1, 1}, {at(64), 1, 1}, 2).merges);
  CHECK_FALSE(planned(4096, {at(0), 1, 3}, {at(64), 1, 1}, 2).merges);
  CHECK(planned(4096, {at(0), 2, 2}, {at(64), 4, 4}, 2).word == 4);
  CHECK_FALSE(rows.even);
  CHECK(rows.width.divisor == 3);
  CHECK(rows.part[2].begin == 3);
  CHECK(planned(4096, {at(0), 2, 3}, {at(64), 4, 4}, 2).word == 2);
  CHECK(planned(4096, {at(0), 4, 4}, {at(64), 4, 4}, 1).word == 4);
  CHECK(rows.even);
  CHECK(planned(4096, {at(0), 1, 1}, {at(64), 1, 1}, 16).word == 8);
  CHECK(rows.width.divisor == 4);
  CHECK_FALSE(launch.merges);
  CHECK(planned(4096, {at(0), 1, 1}, {at(64), 1, 1}, 8).merges);
}

TEST_CASE("a kernel counts 2^30 words at most") {
  const JoinSource parts[] = {{at(4096), 3, 3}, {at(8192), 4, 4}};
  JoinedRows rows;
  JoinLaunch launch;
  const int64_t here = plan_join(at(0), int64_t{1} << 40, parts, 2, 1, rows, launch);
  CHECK(here % 16 == 0);
  CHECK(here * 7 <= int64_t{1} << 30);
  CHECK((here + 16) * 7 > int64_t{1} << 30);
  CHECK(int64_t{launch.blocks} * 256 * 16 >= here * 7);
}
