// The compiled part of weft for big projects; weft/lib.hpp lists what it holds.
// SPDX-License-Identifier: Apache-2.0
#define WEFT_LIB_BUILD
#include <weft/weft.hpp>
