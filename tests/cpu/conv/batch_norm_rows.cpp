#include "weft/cpu/conv/batch_norm_rows.hpp"

#include <vector>

#include "test.hpp"
#include "weft/weft.hpp"

using namespace weft;

TEST_CASE("every element is visited once, by a lane of its channel") {
  const Shape shapes[] = {{5, 3},         {300, 700},     {64, 40, 2, 2}, {3, 4, 37, 41},
                          {2, 300, 3, 3}, {9, 128, 7, 7}, {1, 1, 1, 1},   {40, 2, 70, 40}};
  for (const Shape& shape : shapes) {
    for (const bool last : {false, true}) {
      CAPTURE(shape);
      CAPTURE(last);
      const cpu::detail::ChannelRows rows(shape, last);
      const int64_t channels = shape[1];
      const int64_t places = shape.size() / (shape[0] * channels);
      std::vector<int> seen(static_cast<std::size_t>(shape.size()));
      bool right = true;
      for (int64_t b = 0; b < rows.blocks; ++b) {
        std::vector<int64_t> of_lane;
        rows.for_lanes(rows.count(b), [&](int64_t i, int64_t c) {
          right = right && i == static_cast<int64_t>(of_lane.size());
          of_lane.push_back(rows.first(b) + c);
        });
        right = right && of_lane.size() <= cpu::detail::ChannelRows::most;
        int64_t all = 0;
        for (int64_t group = 0; group < rows.groups; ++group) {
          all += rows.visit(b, group, [&](int64_t at, int count) {
            for (int i = 0; i < count; ++i) {
              const int64_t place = at + i;
              const int64_t channel = last ? place % channels : place / places % channels;
              right = right && channel == of_lane[static_cast<std::size_t>(i)];
              ++seen[static_cast<std::size_t>(place)];
            }
          });
        }
        CHECK(all == shape.size() / channels);
      }
      CHECK(right);
      for (const int times : seen) right = right && times == 1;
      CHECK(right);
    }
  }
}
