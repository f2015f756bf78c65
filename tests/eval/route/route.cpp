#include "weft/eval/route/route.hpp"

#include <weft/weft.hpp>

#include "test.hpp"

namespace {
using weft::detail::Route;
using weft::detail::route_of;

template <class E>
constexpr Route route(const E&) {
  return route_of<weft::detail::node_t<E>>();
}
const auto x = weft::ones({2, 3});
const auto w = weft::ones({3, 3});
}  // namespace

TEST_CASE("every expression takes the first route that matches it") {
  CHECK(route(x) == Route::elementwise);
  CHECK(route(x + 1) == Route::elementwise);
  CHECK(route(take(x, weft::tensor({0, 1}), weft::axis(0)) * 2) == Route::elementwise);
  CHECK(route(sum(x)) == Route::reduction);
  CHECK(route(sum(exp(x) * 2, weft::axis(1))) == Route::reduction);
  CHECK(route(sum(x) + 1) == Route::rows);
  CHECK(route(sum(x - mean(x))) == Route::rows);
  CHECK(route(softmax(x, weft::axis(-1))) == Route::rows);
  CHECK(route(cumsum(x, weft::axis(0))) == Route::opaque);
  CHECK(route(cumsum(x, weft::axis(0)) + 1) == Route::elementwise);
  using OnCuda = weft::Tensor<float, weft::Cuda>;
  const auto of_cuda = []<class F>(F) {
    return route_of<std::remove_cvref_t<std::invoke_result_t<F, const OnCuda&>>>();
  };
  CHECK(of_cuda([](const auto& t) { return cumsum(t, weft::axis(0)) + 1; }) == Route::scan);
  CHECK(of_cuda([](const auto& t) { return cumsum(t * 2, weft::axis(0)) * t; }) == Route::scan);
  CHECK(of_cuda([](const auto& t) { return cumsum(t, weft::axis(0)); }) == Route::opaque);
  CHECK(of_cuda([](const auto& t) { return softmax(cumsum(t, weft::axis(0))); }) == Route::rows);
  CHECK(of_cuda([](const auto& t) {
          return cumsum(weft::cast<weft::half>(t) * weft::half(2), weft::axis(0)) + weft::half(1);
        }) == Route::elementwise);  // whose values are rounded before they are scanned
  CHECK(route(matmul(x, w)) == Route::opaque);
  CHECK(route(matmul(x, w) * 2) == Route::product);
  CHECK(route(relu(matmul(x, w) + x)) == Route::product);
  CHECK(route(tanh(matmul(x, w))) == Route::elementwise);
  CHECK(route(sum(matmul(x, w))) == Route::reduction);
}

TEST_CASE("what reads other elements than it writes does not go over its operands") {
  CHECK(may_write_in_place(Route::elementwise));
  CHECK(may_write_in_place(Route::rows));
  CHECK(may_write_in_place(Route::product));
  CHECK_FALSE(may_write_in_place(Route::reduction));
  CHECK_FALSE(may_write_in_place(Route::opaque));
  CHECK_FALSE(may_write_in_place(Route::scan));
}
