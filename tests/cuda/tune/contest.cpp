// SPDX-License-Identifier: Apache-2.0
#include <weft/cuda/tune/contest.hpp>

#include "test.hpp"

using weft::cuda::detail::ChoiceList;
using weft::cuda::detail::Contest;

namespace {
ChoiceList three() {
  ChoiceList out;
  out.add("threads", 128);
  out.add("threads", 64);
  return out;
}
}  // namespace

TEST_CASE("choices take turns, and the first run of each is not counted") {
  Contest contest(three(), 2);
  for (int i = 0; i < 9; ++i) {
    CHECK_FALSE(contest.has_begun_all());
    CHECK(contest.next() == i % 3);
    CHECK(contest.warms_up() == (i < 3));
  }
  CHECK(contest.has_begun_all());
  CHECK(contest.next() == -1);
}

TEST_CASE("the median decides, and the planner's own unless another is clearly faster") {
  const auto winner = [](double planned, double second, double third) {
    Contest contest(three(), 3);
    contest.add(0, planned);
    for (const double t : {second, 100.0, 0.1 * second, second}) contest.add(1, t);
    contest.add(2, third);
    return contest.winner();
  };
  CHECK(winner(10, 11, 12) == 0);
  CHECK(winner(10, 9.9, 12) == 0);
  CHECK(winner(10, 9.7, 12) == 1);
  CHECK(winner(10, 9.7, 9) == 2);
  Contest none(three(), 3);
  CHECK(none.winner() == 0);
  none.add(0, 10);
  CHECK(none.winner() == 0);  // what never ran is not faster
}

TEST_CASE("choices are found by the name that the file has") {
  using weft::cuda::detail::field_of;
  using weft::cuda::detail::find_choice;
  const ChoiceList list = three();
  CHECK(field_of(list.at[0]) == "planned");
  CHECK(field_of(list.at[1]) == "threads=128");
  CHECK(find_choice(list, "planned") == 0);
  CHECK(find_choice(list, "threads=64") == 2);
  CHECK(find_choice(list, "threads=32") == -1);
  CHECK(find_choice(list, "") == -1);
}
