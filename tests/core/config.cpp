// SPDX-License-Identifier: Apache-2.0
#include <weft/core/config.hpp>

#include "test.hpp"

static_assert(WEFT_VERSION == 200);

WEFT_OUTLINED static int twice(int x) { return 2 * x; }

TEST_CASE("a function that is kept out of line is an ordinary function") { CHECK(twice(4) == 8); }
