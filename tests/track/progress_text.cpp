// SPDX-License-Identifier: Apache-2.0
#include <weft/track/progress_text.hpp>

#include "test.hpp"

using weft::track::progress_text;

TEST_CASE("how far, how fast, how long") {
  CHECK((progress_text("train", 50, 200, 10, "loss 0.5", 80) ==
         "train   25% [=======>                       ]  50/200  5/s  0:30 left  loss 0.5"));
  CHECK((progress_text("", 200, 200, 100, "", 80) ==
         "100% [========================================]  200/200  2/s  1:40"));
  CHECK((progress_text("", 0, 10, 0, "", 40) == "  0% [>                   ]  0/10  0:00"));
  CHECK((progress_text("", 1, 3, 3700, "", 60) ==
         " 33% [======>             ]  1/3  3700 s each  2:03:20 left"));
  CHECK((progress_text("", 0, 0, 1, "", 30) == "100% [===========]  0/0  0:01"));
}

TEST_CASE("without a total there is no bar, and no line is longer than the terminal") {
  CHECK((progress_text("read", 1234, -1, 2, "", 80) == "read  1234  617/s  0:02"));
  CHECK((progress_text("", 300000, -1, 1, "", 80) == "300000  3e+05/s  0:01"));
  CHECK((progress_text("label", 50, 200, 10, "a long note", 20) == "label   25%   50/20"));
}
