#include <weft/cuda/signal/cufft.hpp>
#include <weft/cuda/signal/filter.hpp>

#include <thread>

#include "test.hpp"
#include "weft/fft.hpp"

using namespace weft;
using on_cuda::detail::cufft_plans;
using on_cuda::detail::CufftPlans;

TEST_CASE("what cuFFT calls its failures") {
  CHECK_SAYS("[fft] CUFFT_INVALID_SIZE (8): of length 3",
             on_cuda::check(CUFFT_INVALID_SIZE, "fft", "of length ", 3));
  CHECK_NOTHROW(on_cuda::check(CUFFT_SUCCESS, "fft"));
}

TEST_CASE("[gpu] plans are made once, and old ones go") {
  const auto known = [] { return cufft_plans[0].all == nullptr ? 0 : cufft_plans[0].all->size(); };
  const Tensor<float, Cuda> x = ones({4, 600}, Cuda{0});
  CHECK(rfft(x).size() == 4 * 301);
  const auto before = known();
  for (int i = 0; i < 5; ++i) CHECK(rfft(x)(2, 0).item().re == 600);
  CHECK(known() == before);
  for (int64_t n = 2; n < 300; ++n) {
    CHECK(rfft(x, {.n = n})(0, 0).item().re == doctest::Approx(static_cast<double>(n)));
  }
  CHECK(known() <= CufftPlans::most);
  std::thread others[4];
  for (auto& t : others) {
    t = std::thread([&] {
      for (int i = 0; i < 20; ++i) CHECK(rfft(x)(1, 0).item().re == 600);
    });
  }
  for (auto& t : others) t.join();
}
