#include "weft/autograd/expression/without_vars.hpp"

#include "gradients.hpp"

#ifdef __CUDACC__
#include "weft/cuda/scan/scan.hpp"
#endif

using namespace weft;
using autograd::without_vars;
using autograd::without_vars_t;
using test::numbers;

TEST_CASE_TEMPLATE("a plain expression has tensors where there were Vars", D, TEST_DEVICES) {
  using T = Tensor<double, D>;
  const Var x = numbers<D>({2, 3});
  const T t = numbers<D>({3}, 1);
  const auto e = exp(x * t) + sum(x, axis(-1), keepdims);
  const auto same = exp(x.detach() * t) + sum(x.detach(), axis(-1), keepdims);
  static_assert(std::is_same_v<without_vars_t<std::remove_const_t<decltype(e)>>,
                               std::remove_const_t<decltype(same)>>);
  static_assert(autograd::var_count<decltype(e)> == 2);
  static_assert(!autograd::has_var<decltype(same)>);
  CHECK(equal(without_vars(e), same));
  const auto index = tensor<std::int64_t>({1, 0}).to(D{});
  CHECK(equal(without_vars(take(x, index, axis(0))), take(x.detach(), index, axis(0))));
  CHECK(equal(without_vars(cumsum(x, axis(1))), cumsum(x.detach(), axis(1))));
  int visited = 0;
  autograd::for_each_var(e, [&](const auto& v, int i) {
    CHECK(i == visited++);
    CHECK(v.detach().data() == x.detach().data());
  });
  CHECK(visited == 2);
}
