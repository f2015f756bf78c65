// SPDX-License-Identifier: Apache-2.0
#include <weft/track/curve.hpp>

#include "io/temporary.hpp"
#include "test.hpp"

using weft::track::Curve;

static int count(const std::string& text, const std::string& what) {
  int n = 0;
  for (auto at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++n;
  return n;
}

TEST_CASE("a line for each name, with the axes' numbers") {
  Curve curve({.title = "a < b & c", .y = "loss"});
  for (int i = 0; i <= 10; ++i) {
    curve.add("training", i, 1.0 / (1 + i));
    curve.add("test", i, 2.0 / (1 + i));
  }
  const std::string svg = curve.svg();
  CHECK(count(svg, "stroke-width=\"2\"") == 2);
  CHECK((svg.find(">training<") != std::string::npos));
  CHECK((svg.find(">a &lt; b &amp; c<") != std::string::npos));
  CHECK((svg.find(">0.5<") != std::string::npos));
  CHECK((svg.find(">10<") != std::string::npos));
  // The first point of "test" is (0, 2): the upper left corner; its axis ends at 2.
  CHECK((svg.find("\"M64.0 44.0L") != std::string::npos));
}

TEST_CASE("what cannot be drawn leaves a gap") {
  Curve curve;
  const double values[] = {1, 2, NAN, 3, INFINITY, 2, 1};
  for (int i = 0; i < 7; ++i) curve.add("x", i, values[i]);
  const std::string svg = curve.svg();
  const auto line = svg.find("stroke-width=\"2\"");
  const std::string d = svg.substr(svg.rfind("d=\"", line), line - svg.rfind("d=\"", line));
  CHECK(count(d, "M") == 3);
  CHECK(count(d, "L") == 2);
  CHECK(count(svg, "nan") == 0);
  CHECK(count(svg, "inf") == 0);

  Curve powers({.log_scale = true});
  powers.add("x", 0, 0);
  powers.add("x", 1, 10);
  CHECK(count(powers.svg(), "nan") == 0);
  CHECK(count(Curve().svg(), "nan") == 0);
}

TEST_CASE("saved") {
  const test::TemporaryFolder folder;
  Curve curve;
  curve.add("x", 1, 2);
  curve.save(folder / "x.svg");
  CHECK((test::read_bytes(folder / "x.svg") == curve.svg()));
  CHECK_SAYS("[Curve::save] ", curve.save(folder / "missing/x.svg"));
}
