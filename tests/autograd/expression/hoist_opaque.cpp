#include "weft/autograd/expression/hoist_opaque.hpp"

#include "gradients.hpp"

#ifdef __CUDACC__
#include "weft/cuda/scan/scan.hpp"
#endif

using namespace weft;
using autograd::hoist_opaque;
using autograd::HoistOpaque;
using test::numbers;

TEST_CASE_TEMPLATE("scans with a Var in them become Vars", D, TEST_DEVICES) {
  const Var x = parameter(numbers<D>({2, 3}));
  const Tensor<double, D> t = numbers<D>({2, 3}, 1);
  const auto e = exp(cumsum(x * 2.0, axis(1))) + x;
  static_assert(HoistOpaque<std::remove_const_t<decltype(e)>>::changes);
  const auto parts = hoist_opaque(e);
  static_assert(std::is_same_v<std::remove_const_t<decltype(parts)>,
                               decltype(exp(Var<double, D>()) + Var<double, D>())>);
  CHECK(equal(autograd::without_vars(parts), autograd::without_vars(e)));
  const auto same = x * cumsum(t, axis(1));
  static_assert(!HoistOpaque<std::remove_const_t<decltype(same)>>::changes);
  CHECK(equal(autograd::without_vars(hoist_opaque(same)), x.detach() * cumsum(t, axis(1))));
}
