#include "weft/ops/index/places.hpp"

#include <weft/ops/index/pieces.hpp>
#include <weft/ops/index/rearrange.hpp>

#include "test.hpp"

using namespace weft;

namespace {
/// Where each of an axis's elements comes from, -1 for nowhere: by find, or by its segments.
template <class K>
std::vector<std::int64_t> found(const AxisPlaces& a) {
  std::vector<std::int64_t> out;
  for (std::int64_t i = 0; i < a.to; ++i) {
    int u = static_cast<int>(i - a.before);
    out.push_back(K::find(u, static_cast<int>(a.from), 1, a.mode) ? u : -1);
  }
  return out;
}
template <class K>
std::vector<std::int64_t> in_segments(const AxisPlaces& a) {
  std::vector<std::int64_t> out(static_cast<std::size_t>(a.to), -1);
  for (const auto& s : weft::detail::segments<K>(a)) {
    for (std::int64_t i = 0; i < s.length; ++i) {
      out[static_cast<std::size_t>(s.to + i)] = s.from + s.step * i;
    }
  }
  return out;
}
}  // namespace

TEST_CASE("segments and single elements agree") {
  for (std::int64_t n = 1; n < 6; ++n) {
    for (std::int64_t before = -n; before <= n; ++before) {
      for (std::int64_t after = -n; after <= n; ++after) {
        const std::int64_t to = before + n + after;
        if (to < 0) continue;
        const AxisPlaces window{0, n, to, before, PadMode::constant};
        CHECK(found<placing::pad>(window) == in_segments<placing::pad>(window));
        for (const PadMode mode :
             {PadMode::reflect, PadMode::replicate, PadMode::circular, PadMode::symmetric}) {
          const bool fits =
              before >= 0 && after >= 0 && (mode != PadMode::reflect || (before < n && after < n));
          const AxisPlaces border{0, n, to, before, mode};
          if (fits) CHECK(found<placing::pad>(border) == in_segments<placing::pad>(border));
        }
      }
    }
    const AxisPlaces rolled{0, n, n, n / 2, PadMode::constant};
    CHECK(found<placing::roll>(rolled) == in_segments<placing::roll>(rolled));
    const AxisPlaces tiled{0, n, 3 * n, 0, PadMode::constant};
    CHECK(found<placing::tile>(tiled) == in_segments<placing::tile>(tiled));
  }
}

TEST_CASE("numbers among elements") {
  using weft::detail::fill_number;
  CHECK(fill_number<std::int16_t>("pad", 7.0) == 7);
  CHECK(fill_number<weft::half>("pad", 0.5) == 0.5F);
  CHECK_SAYS("[pad] the number 0.5 among integers", fill_number<int>("pad", 0.5));
}
