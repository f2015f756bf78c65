// SPDX-License-Identifier: Apache-2.0
#include <weft/track/summary.hpp>

#include <cstring>
#include <limits>

#include "test.hpp"

using namespace weft::track;
using namespace std::string_literals;

TEST_CASE("a scalar and a text") {
  CHECK((scalar_summary("loss", 0.5F).data() == "\x0a\x0b\x0a\x04loss\x15\0\0\0\x3f"s));
  const std::string text = text_summary("t", "hi").data();
  CHECK((text.find("\x42\x02hi") != std::string::npos));
  CHECK((text.find("\x0a\x04text") != std::string::npos));
  CHECK(static_cast<std::size_t>(text[1]) == text.size() - 2);
}

/// The doubles of a histogram: its five numbers, the limits, the counts.
struct Histogram {
  std::vector<double> numbers, limits, counts;
};
static Histogram histogram_of(const Message& summary, int bins) {
  const std::string& bytes = summary.data();
  const auto packed = [&](std::size_t at, int count) {
    std::vector<double> out(static_cast<std::size_t>(count));
    std::memcpy(out.data(), &bytes[at], 8 * out.size());
    return out;
  };
  const auto n = static_cast<std::size_t>(bins);
  const std::size_t counts = bytes.size() - 8 * n, limits = counts - 2 - 8 * n;  // short lengths
  Histogram out{{}, packed(limits, bins), packed(counts, bins)};
  for (std::size_t i = 0; i < 5; ++i)
    out.numbers.push_back(packed(limits - 2 - 9 * (5 - i) + 1, 1)[0]);
  return out;
}

TEST_CASE("a histogram of finite numbers") {
  const double values[] = {0, 1, 1, 2, 4, NAN, INFINITY, -INFINITY};
  const Histogram h = histogram_of(histogram_summary("x", values, 4), 4);
  CHECK(h.numbers == std::vector<double>{0, 4, 5, 8, 22});
  CHECK(h.limits == std::vector<double>{1, 2, 3, 4});
  CHECK(h.counts == std::vector<double>{1, 2, 1, 1});
}

TEST_CASE("equal numbers, no numbers, and numbers whose difference overflows") {
  const double same[] = {3, 3, 3};
  Histogram h = histogram_of(histogram_summary("x", same, 2), 2);
  CHECK(h.counts == std::vector<double>{3, 0});
  CHECK(h.limits[0] > 3);
  CHECK(h.limits[1] > h.limits[0]);
  h = histogram_of(histogram_summary("x", {}, 2), 2);
  CHECK(h.counts == std::vector<double>{0, 0});
  CHECK(h.numbers == std::vector<double>{0, 0, 0, 0, 0});
  constexpr double huge = std::numeric_limits<double>::max();
  const double far[] = {-huge, huge, 0};
  h = histogram_of(histogram_summary("x", far, 2), 2);
  CHECK(h.counts == std::vector<double>{1, 2});
}

TEST_CASE("an image holds its size and a PNG file") {
  const std::string bytes = image_summary("i", 2, 3, 1, "abcdef").data();
  CHECK((bytes.find("\x08\x02\x10\x03\x18\x01\x22") != std::string::npos));
  CHECK((bytes.find("\x89PNG") != std::string::npos));
}
