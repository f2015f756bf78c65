// SPDX-License-Identifier: Apache-2.0
#include <weft/track/hparams_summary.hpp>

#include "test.hpp"

using namespace weft::track;
using namespace std::string_literals;

TEST_CASE("parameters by their kinds, metrics by their tags, and that the run has ended") {
  const auto all = hparams_summaries({{"lr", 0.5}, {"name", "adam"}, {"fused", true}, {"n", 2}},
                                     {"accuracy"}, 1.0);
  REQUIRE(all.size() == 3);
  const auto holds = [&](int i, const std::string& bytes) {
    return all[static_cast<std::size_t>(i)].data().find(bytes) != std::string::npos;
  };
  CHECK(holds(0, "_hparams_/experiment"));
  CHECK(holds(0, "\x0a\x04name\x20\x01"));  // HParamInfo: a text
  CHECK(holds(0,
              "\x0a\x05"
              "fused\x20\x02"));          // a truth value
  CHECK(holds(0, "\x0a\x02lr\x20\x03"));  // numbers
  CHECK(holds(0, "\x0a\x01n\x20\x03"));
  CHECK(holds(0,
              "\x2a\x0c\x0a\x0a\x12\x08"
              "accuracy"));
  CHECK(holds(1, "_hparams_/session_start_info"));
  CHECK(holds(1, "\x0a\x02lr\x12\x09\x11\0\0\0\0\0\0\xe0\x3f"s));
  CHECK(holds(1,
              "\x0a\x04name\x12\x06\x1a\x04"
              "adam"));
  CHECK(holds(1,
              "\x0a\x05"
              "fused\x12\x02\x20\x01"));
  CHECK(holds(2, "_hparams_/session_end_info"));
  CHECK(holds(2, "\x08\x01\x11\0\0\0\0\0\0\xf0\x3f"s));
}
