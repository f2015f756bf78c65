#include "weft/dist/data_parallel.hpp"

#include "test.hpp"
#include "weft/nn.hpp"
#ifdef __CUDACC__
#include "weft/cuda/gradient.hpp"
#include "weft/cuda/matmul.hpp"
#include "weft/dist/cuda.hpp"
#endif

using namespace weft;

TEST_CASE_TEMPLATE("a module on several devices is the module", D, TEST_DEVICES) {
  std::vector<D> devices(3, D{});
#ifdef __CUDACC__
  devices = dist::all_devices<Cuda>();
#endif
  manual_seed(4);
  nn::Sequential net{nn::Linear<D>(6, 9), nn::Tanh{}, nn::Linear<D>(9, 2)};
  const auto other = nn::clone(net);
  const dist::DataParallel model(net, devices);
  for (const int64_t n : {10, 2, 1}) {
    const Tensor<float, D> x = randn({n, 6}, Cpu{}).to(D{devices[0]});
    nn::zero_grad(net);
    nn::zero_grad(other);
    const Var<float, D> y = model(Var<float, D>(x));
    const Var<float, D> z = other(Var<float, D>(x));
    CHECK(allclose(y.value(), z.value()));
    Var<float, D>(sum(square(y))).backward();
    Var<float, D>(sum(square(z))).backward();
    const auto a = nn::parameters(net), b = nn::parameters(other);
    for (std::size_t i = 0; i < a.size(); ++i) CHECK(allclose(a[i].grad(), b[i].grad()));
  }
  CHECK_SAYS("no devices", dist::DataParallel(net, std::vector<D>{}));
}

namespace {
/// Of one device type each, as CudaAt<N> are.
template <class D, class... Ds>
void check_fixed(D first, Ds... others) {
  manual_seed(4);
  nn::Sequential net{nn::Linear<D>(6, 9, {}, first), nn::Tanh{}, nn::Linear<D>(9, 2, {}, first)};
  const auto other = nn::clone(net);
  const auto model = dist::data_parallel(net, first, others...);
  CHECK(model.devices() == 1 + static_cast<int>(sizeof...(Ds)));
  for (const int64_t n : {10, 2, 1}) {
    const Tensor<float, D> x = randn({n, 6}, Cpu{}).to(first);
    nn::zero_grad(net);
    nn::zero_grad(other);
    const Var<float, D> y = model(Var<float, D>(x));
    const Var<float, D> z = other(Var<float, D>(x));
    CHECK(allclose(y.value(), z.value()));
    Var<float, D>(sum(square(y))).backward();
    Var<float, D>(sum(square(z))).backward();
    const auto a = nn::parameters(net), b = nn::parameters(other);
    for (std::size_t i = 0; i < a.size(); ++i) CHECK(allclose(a[i].grad(), b[i].grad()));
  }
}
}  // namespace

TEST_CASE("devices that are fixed in the types") {
  check_fixed(Cpu{}, Cpu{}, Cpu{});
#ifdef __CUDACC__
  if (cuda::device_count() > 1) check_fixed(CudaAt<0>{}, CudaAt<1>{});
#endif
}
