// SPDX-License-Identifier: Apache-2.0
#include <weft/core/failure.hpp>

#include "test.hpp"

TEST_CASE("the first failure stays until it is taken") {
  weft::Failure record;
  weft::report_failure(&record, "take", -1, 7, -5, 4);
  weft::report_failure(&record, "gather", -1, 8, -6, 5);
  CHECK(record.state == 2);
  CHECK(record.index == 7);
  CHECK_SAYS("[take] index 7 is out of range, expected -5 to 4",
             weft::detail::throw_failure(record));
  record.state = 0;
  weft::report_failure(&record, "gather", 3, 8, 0, -1);
  CHECK_SAYS("[gather] index 8 is out of range on cuda:3, there are no elements",
             weft::detail::throw_failure(record));
  CHECK_THROWS_AS(weft::detail::throw_failure(record), weft::IndexError);
  record.state = 0;
  weft::report_failure(&record, "nll_loss", -1, -3, 0, 9, true);
  CHECK_SAYS("[nll_loss] label -3 for 10 classes, expected 0 to 9",
             weft::detail::throw_failure(record));
  record.state = 0;
  const double p = 1.5;
  weft::report_failure(&record, "binary_cross_entropy", 1, 0, 0, 1, false, nullptr, &p);
  CHECK_SAYS("[binary_cross_entropy] an element is 1.5 on cuda:1, expected 0 to 1",
             weft::detail::throw_failure(record));
  CHECK_THROWS_AS(weft::detail::throw_failure(record), weft::ValueError);
  record.state = 0;
  weft::report_failure(&record, "take", -1, 7, -5, 4);
  CHECK_SAYS("[take] index 7 is out of range", weft::detail::throw_failure(record));
}
