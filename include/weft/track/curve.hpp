// Curve: lines over the steps of a run, as an SVG picture.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "weft/io/file.hpp"
#include "weft/track/axis_scale.hpp"
#include "weft/track/value.hpp"

namespace weft::track {

struct CurveOptions {
  std::string title = "";
  std::string x = "step";  ///< what the horizontal axis is called
  std::string y = "";
  bool log_scale = false;  ///< vertically; what is not positive is left out
  int width = 720;         ///< of the picture, in pixels
  int height = 420;
};

/// Collects numbers under names and draws a line for each: `curve.add("loss", step, loss)` and
/// `curve.save("loss.svg")`. Values that are not finite leave a gap.
class Curve {
 public:
  explicit Curve(CurveOptions options = {}) : options_(std::move(options)) {}

  void add(const std::string& name, double x, const Value& value) {
    const auto found = std::find_if(lines_.begin(), lines_.end(),
                                    [&](const Line& line) { return line.name == name; });
    Line& line = found != lines_.end() ? *found : lines_.emplace_back(Line{name, {}});
    line.points.emplace_back(x, value.number());
  }

  /// The picture as SVG.
  std::string svg() const {
    const double left = 64, right = options_.width - 16.0, top = options_.title.empty() ? 20 : 44,
                 bottom = options_.height - 48.0;
    const std::pair<AxisScale, AxisScale> axes = scales();
    const AxisScale& x_axis = axes.first;  // clang 14 captures no structured bindings
    const AxisScale& y_axis = axes.second;
    const auto px = [&](double v) { return left + x_axis.place(v) * (right - left); };
    const auto py = [&](double v) { return bottom - y_axis.place(v) * (bottom - top); };

    std::string out = "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 " +
                      std::to_string(options_.width) + " " + std::to_string(options_.height) +
                      "\" font-family=\"sans-serif\" font-size=\"13\">\n"
                      "<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n";
    for (const double tick : x_axis.ticks()) {
      out += rule(px(tick), top, px(tick), bottom);
      out += label(px(tick), bottom + 18, "middle", x_axis.text(tick));
    }
    for (const double tick : y_axis.ticks()) {
      out += rule(left, py(tick), right, py(tick));
      out += label(left - 8, py(tick) + 4, "end", y_axis.text(tick));
    }
    out += label((left + right) / 2, options_.height - 10.0, "middle", options_.x);
    if (!options_.y.empty()) {
      out += "<text transform=\"translate(16 " + number((top + bottom) / 2) +
             ") rotate(-90)\" text-anchor=\"middle\" fill=\"#333\">" + escaped(options_.y) +
             "</text>\n";
    }
    if (!options_.title.empty()) {
      out += "<text x=\"" + number((left + right) / 2) +
             "\" y=\"26\" text-anchor=\"middle\" font-size=\"16\" fill=\"#111\">" +
             escaped(options_.title) + "</text>\n";
    }
    for (std::size_t i = 0; i < lines_.size(); ++i) out += path(lines_[i], colour(i), px, py);
    for (std::size_t i = 0; i < lines_.size(); ++i) {  // names over the lines, at the right
      const double y = top + 18 + 18 * static_cast<double>(i);
      out += "<circle cx=\"" + number(right - 8) + "\" cy=\"" + number(y - 4) +
             "\" r=\"5\" fill=\"" + colour(i) + "\"/>\n" +
             label(right - 18, y, "end", lines_[i].name);
    }
    return out + "</svg>\n";
  }

  /// Writes the picture atomically; throws FileError.
  void save(const std::string& path) const {
    const std::string text = svg();
    io::OutputFile file("Curve::save", path);
    file.write(text.data(), static_cast<int64_t>(text.size()));
    file.commit();
  }

 private:
  struct Line {
    std::string name;
    std::vector<std::pair<double, double>> points;
  };

  bool drawable(double x, double y) const {
    return std::isfinite(x) && std::isfinite(y) && (!options_.log_scale || y > 0);
  }

  std::pair<AxisScale, AxisScale> scales() const {
    double x0 = INFINITY, x1 = -INFINITY, y0 = INFINITY, y1 = -INFINITY;
    for (const Line& line : lines_) {
      for (const auto& [x, y] : line.points) {
        if (!drawable(x, y)) continue;
        x0 = std::min(x0, x);
        x1 = std::max(x1, x);
        y0 = std::min(y0, y);
        y1 = std::max(y1, y);
      }
    }
    if (x0 > x1) x0 = 0, x1 = 1, y0 = options_.log_scale ? 0.1 : 0, y1 = 1;
    return {AxisScale(x0, x1, false, false), AxisScale(y0, y1, options_.log_scale, true)};
  }

  template <class X, class Y>
  std::string path(const Line& line, const std::string& colour, const X& px, const Y& py) const {
    std::string d;
    bool down = false;
    for (const auto& [x, y] : line.points) {
      const bool here = drawable(x, y);
      if (here) d += (down ? "L" : "M") + number(px(x)) + " " + number(py(y));
      down = here;
    }
    return "<path d=\"" + d + "\" fill=\"none\" stroke=\"" + colour +
           "\" stroke-width=\"2\" stroke-linejoin=\"round\" stroke-linecap=\"round\"/>\n";
  }

  /// Okabe and Ito's colours, which are distinguishable with most kinds of colour blindness.
  static std::string colour(std::size_t i) {
    constexpr const char* colours[] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                       "#e69f00", "#56b4e9", "#000000"};
    return colours[i % 7];
  }
  static std::string number(double v) {
    char out[32];
    std::snprintf(out, sizeof out, "%.1f", v);
    return out;
  }
  static std::string rule(double x1, double y1, double x2, double y2) {
    return "<path d=\"M" + number(x1) + " " + number(y1) + "L" + number(x2) + " " + number(y2) +
           "\" stroke=\"#ddd\"/>\n";
  }
  static std::string label(double x, double y, const char* anchor, const std::string& text) {
    return "<text x=\"" + number(x) + "\" y=\"" + number(y) + "\" text-anchor=\"" + anchor +
           "\" fill=\"#333\">" + escaped(text) + "</text>\n";
  }
  static std::string escaped(const std::string& text) {
    std::string out;
    for (const char c : text) {
      if (c == '<')
        out += "&lt;";
      else if (c == '&')
        out += "&amp;";
      else
        out += c;
    }
    return out;
  }

  CurveOptions options_;
  std::vector<Line> lines_;
};

}  // namespace weft::track
