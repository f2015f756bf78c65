// SPDX-License-Identifier: Apache-2.0
#include <weft/ops/reduce/rule.hpp>

#include "test.hpp"

namespace {
/// The sum of squares, as a user would add it.
struct sum_of_squares {
  using domain = weft::op::Real;
  static constexpr const char* text = "sum_of_squares";
  static constexpr bool has_identity = true;
  template <class T>
  using result = T;
  template <class C>
  struct State {
    C value{};
  };
  template <class S, class C>
  WEFT_HD static void add(S& s, C x, long long) {
    s.value += x * x;
  }
  template <class S>
  WEFT_HD static void merge(S& s, S later) {
    s.value += later.value;
  }
  template <class S>
  WEFT_HD static auto finish(S s, long long) {
    return s.value;
  }
};

struct without_merge : sum_of_squares {
  template <class S>
  static void merge(S& s, S later) = delete;
};
}  // namespace

static_assert(weft::ReductionRule<sum_of_squares>);
static_assert(weft::ReductionRule<weft::reducer::sum, std::int32_t>);
static_assert(!weft::ReductionRule<without_merge>);

TEST_CASE("a rule of a user's reduces") {
  const auto x = weft::arange<float>(0, 1000, 1, weft::Cpu{});
  using Squares = weft::Reduce<sum_of_squares, weft::Tensor<float>>;
  const weft::Tensor<float> y = Squares(sum_of_squares{}, x, {.mask = 1});
  CHECK(y.item() == doctest::Approx(332833500.0));
}
