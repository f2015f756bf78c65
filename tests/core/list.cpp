#include "weft/core/list.hpp"

#include <utility>

#include "test.hpp"

using weft::detail::List;

namespace {
/// Counts its instances with a number.
struct Counted {
  static inline int alive = 0;
  int number = 0;

  Counted() = default;
  explicit Counted(int n) : number(n) { ++alive; }
  Counted(Counted&& other) noexcept : number(other.number) { other.number = 0; }
  Counted& operator=(Counted&& other) noexcept {
    if (number != 0) --alive;
    number = other.number;
    other.number = 0;
    return *this;
  }
  ~Counted() {
    if (number != 0) --alive;
  }
};
}  // namespace

TEST_CASE("elements stay in order, and each is destroyed once") {
  {
    List<Counted> list;
    CHECK(list.empty());
    for (int i = 1; i <= 100; ++i) list.push_back(Counted(i));
    CHECK(list.size() == 100);
    CHECK(Counted::alive == 100);
    list.remove(0);
    list.remove(49);
    list.remove(97);
    CHECK(list.size() == 97);
    CHECK(Counted::alive == 97);
    int sum = 0;
    int last = 0;
    bool ordered = true;
    for (const Counted& each : list) {
      sum += each.number;
      ordered = ordered && each.number > last;
      last = each.number;
    }
    CHECK(ordered);
    CHECK(sum == 5050 - 1 - 51 - 100);
    CHECK(list.back().number == 99);

    List<Counted> other(std::move(list));
    CHECK(list.empty());
    list.push_back(Counted(7));
    list = std::move(other);
    CHECK(list.size() == 97);
    CHECK(Counted::alive == 97);
    list.clear();
    CHECK(Counted::alive == 0);
    list.push_back(Counted(1));
    CHECK(list[0].number == 1);
  }
  CHECK(Counted::alive == 0);
}

TEST_CASE("an element of the list can be pushed while it grows") {
  List<int> list;
  list.push_back(5);
  for (int i = 0; i < 50; ++i) list.push_back(list[0]);
  for (int x : list) CHECK(x == 5);
  list.pop_back();
  CHECK(list.size() == 50);
}
