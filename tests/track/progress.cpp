// SPDX-License-Identifier: Apache-2.0
#include <weft/track/progress.hpp>

#include <memory>
#include <vector>

#include "io/temporary.hpp"
#include "test.hpp"

using weft::progress;
using weft::track::ProgressLine;
using weft::track::ProgressOptions;

struct Output {
  test::TemporaryFolder folder;
  std::FILE* file = std::fopen((folder / "out").c_str(), "w");
  ~Output() { std::fclose(file); }
  std::string text() const {
    std::fflush(file);
    return test::read_bytes(folder / "out");
  }
};

TEST_CASE("the loop is the range's own, and quiet where there is no terminal") {
  const Output out;
  std::vector<int> x{3, 1, 2};
  int sum = 0;
  for (int& value : progress(x, {.out = out.file})) {
    sum += value;
    value = 0;
  }
  CHECK(sum == 6);
  CHECK(x == std::vector<int>{0, 0, 0});
  std::int64_t steps = 0;
  for (const auto i : progress(5, {.out = out.file})) steps += i;
  CHECK(steps == 10);
  for (const auto i : progress(-1, {.out = out.file})) steps += i;
  CHECK(steps == 10);
  CHECK(out.text().empty());
}

TEST_CASE("what is drawn") {
  const Output out;
  auto bar = progress(std::vector<int>{1, 2},
                      {.label = "go", .out = out.file, .always = true, .every = 0});
  for (const int i : bar) bar.note("at " + std::to_string(i));
  const std::string text = out.text();
  CHECK((text.find("\rgo   50% [") == 0));
  CHECK((text.find("  1/2  ") != std::string::npos));
  CHECK((text.find("\rgo  100% [====") != std::string::npos));
  CHECK((text.find("at 2") != std::string::npos));
  CHECK((text.find('\n') == text.size() - 1));
}

TEST_CASE("a loop that is left early ends its line, once") {
  const Output out;
  for (const auto i : progress(10, {.out = out.file, .always = true})) {
    if (i == 3) break;
  }
  const std::string text = out.text();
  CHECK((text.find("  3/10  ") != std::string::npos));
  CHECK((text.find('\n') == text.size() - 1));
}

/// A range that is passed once and holds what cannot be copied, as a loader's batches are.
struct Once {
  struct Iterator {
    std::unique_ptr<int> value;
    const int& operator*() const { return *value; }
    Iterator& operator++() {
      ++*value;
      return *this;
    }
    friend bool operator==(const Iterator& it, std::nullptr_t) { return *it.value == 4; }
  };
  Iterator begin() { return {std::make_unique<int>(0)}; }
  std::nullptr_t end() { return nullptr; }
};

TEST_CASE("ranges without a size, whose end is of another type") {
  const Output out;
  int count = 0;
  for (const int& i : progress(Once{}, {.out = out.file, .always = true})) count += i == count;
  CHECK(count == 4);
  CHECK((out.text().find("\r4  ") != std::string::npos));
  CHECK((out.text().find('%') == std::string::npos));
}

TEST_CASE("a line of its own") {
  const Output out;
  {
    ProgressLine line(2, {.out = out.file, .always = true});
    line.step();
    CHECK(line.done() == 1);
  }
  CHECK((out.text().find(" 1/2 ") != std::string::npos));
}
