// SPDX-License-Identifier: Apache-2.0
#include "weft/cuda/primitive/alike.hpp"

#include "test.hpp"
#include "weft/cuda.hpp"
#include "weft/cuda/reduce.hpp"
#include "weft/weft.hpp"

using namespace weft;

namespace {
template <class E>
using ProgramOf =
    decltype(weft::detail::Lowering<E>::template lower<1>(std::declval<const E&>(), nullptr));
template <class E>
constexpr bool has_part(const E&) {
  return weft::cuda::detail::has_costly_part<ProgramOf<E>>;
}
}  // namespace

TEST_CASE("costly parts of one operand beside others") {
  const auto x = ones<float>({4, 8});
  const auto b = ones<float>({4, 1});
  CHECK(has_part(x * tanh(b)));
  CHECK(has_part(gelu(x) / (square(tanh(silu(b))) + 0.5F)));
  CHECK_FALSE(has_part(x * b + 1.0F));  // not costly
  CHECK_FALSE(has_part(tanh(x)));       // not beside others
  CHECK_FALSE(has_part(tanh(x * b)));   // not of one operand
}

TEST_CASE("what is alike in a vector's lanes, or not, in reductions and rows [gpu]") {
  const auto apart = [](const auto& on_gpu, const auto& expected) {
    const auto a = on_gpu.eval().to_vector();
    const auto b = expected.eval().to_vector();
    REQUIRE(a.size() == b.size());
    double most = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
      most = std::max(most, std::fabs(double(a[i]) - double(b[i])) / (1e-3 + std::fabs(b[i])));
    }
    return most;
  };
  for (const std::int64_t n : {7, 16, 40, 128, 300, 1024}) {
    const Tensor<float> x = sin(arange<float>(6 * 5 * n)).reshape({6, 5, n});
    for (const Shape& shape : {Shape{}, Shape{5, 1}, Shape{n}, Shape{6, 1, 1}, Shape{6, 5, n}}) {
      CAPTURE(weft::detail::text(shape));
      CAPTURE(n);
      const Tensor<float> b = cos(arange<float>(shape.size())).reshape(shape);
      const auto y = x.to(Cuda{});
      const auto c = b.to(Cuda{});
      const auto f = [](const auto& v, const auto& w) {
        return gelu(v) / (square(tanh(silu(w))) + 0.85F);
      };
      for (const int axis : {0, 1, 2}) {
        CHECK(apart(mean(f(y, c), weft::axis(axis)), mean(f(x, b), weft::axis(axis))) < 1e-4);
        CHECK(apart(max(f(y, c), weft::axis(axis)), max(f(x, b), weft::axis(axis))) < 1e-4);
        CHECK(apart(softmax(f(y, c), weft::axis(axis)), softmax(f(x, b), weft::axis(axis))) < 1e-4);
        CHECK(apart(standardize(y * tanh(c), weft::axis(axis)),
                    standardize(x * tanh(b), weft::axis(axis))) < 2e-3);
      }
      CHECK(apart(mean(f(y, c)), mean(f(x, b))) < 1e-4);
      CHECK(apart(mean(f(y, c), weft::axis(1, 2)), mean(f(x, b), weft::axis(1, 2))) < 1e-4);
    }
  }
}
