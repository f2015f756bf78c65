// Random numbers of many distributions: random::gamma, random::poisson, random::choice and others.
// SPDX-License-Identifier: Apache-2.0
#pragma once

// clang-format off
#include "weft/weft.hpp"
#include "weft/ops/random/distributions.hpp"  // exponential, gamma, beta, poisson, binomial, ...
#include "weft/ops/random/categorical.hpp"    // categorical, multinomial, choice, dirichlet
// clang-format on
