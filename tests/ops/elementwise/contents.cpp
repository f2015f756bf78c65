// SPDX-License-Identifier: Apache-2.0
#include <weft/ops/elementwise/contents.hpp>

#include "test.hpp"
#include "weft/autograd/var.hpp"

using namespace weft::detail;

namespace {

const auto x = weft::zeros({3, 4});
const weft::Var<float> w(x, true);
template <class E>
using node_of = node_t<std::remove_cvref_t<E>>;

static_assert(contents_of<node_of<decltype(x)>> == Contents::tensors);
static_assert(contents_of<node_of<decltype(x * 2 + x)>> == (Contents::tensors | Contents::numbers));
static_assert(is_made_of<node_of<decltype(tanh(x) + weft::arange(4))>,
                         Contents::tensors | Contents::positions>);
static_assert((contents_of<node_of<decltype(x - max(x))>> & Contents::reductions) != 0);
static_assert((contents_of<node_of<decltype(x - max(x))>> & Contents::var_reductions) == 0);
static_assert((contents_of<node_of<decltype(x - max(w))>> & Contents::var_reductions) != 0);
// What is inside a node that is not a Map does not count.
static_assert(contents_of<node_of<decltype(cumsum(x - max(x), weft::axis(0)))>> == Contents::scans);
static_assert(contents_of<node_of<decltype(take(x, weft::Tensor<std::int64_t>()))>> ==
              Contents::others);

struct Twice {
  float operator()(float v) const { return 2 * v; }
};

}  // namespace

TEST_CASE("an expression's contents are its leaves and what its operations do") {
  const auto called = map(Twice{}, x);
  using Called = node_of<decltype(called)>;
  CHECK(contents_of<Called> == (Contents::tensors | weft::Effects::calls));
  CHECK(is_made_of<Called, Contents::tensors | weft::Effects::any>);
  CHECK_FALSE(is_made_of<Called, Contents::tensors>);
  CHECK(is_map<Called>);
}
