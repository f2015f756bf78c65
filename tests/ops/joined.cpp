#include "weft/ops/joined.hpp"

#include "array.hpp"
#ifdef __CUDACC__
#include "cuda/graph_nodes.hpp"
#endif

using namespace weft;

TEST_CASE_TEMPLATE("parts that are expressions are computed where they belong", D, TEST_DEVICES) {
  const Tensor a = tensor({{1.0F, 2.0F}, {3.0F, 4.0F}}, D{});
  const Tensor b = tensor({{5.0F, 6.0F}}, D{});
  const Tensor z = cat(a * 2.0F, b + 1.0F, axis(0));
  CHECK(z.shape() == Shape{3, 2});
  CHECK(z.to_vector() == std::vector<float>{2, 4, 6, 8, 6, 7});
  const Tensor rotated = cat(a - a.t(), a + a.t(), axis(-1));
  CHECK(rotated.to_vector() == std::vector<float>{0, -1, 2, 5, 1, 0, 5, 8});
  CHECK(Tensor(cat(a, b, axis(0)) * 2.0F).to_vector() == std::vector<float>{2, 4, 6, 8, 10, 12});
  CHECK(stack(a, a * 10.0F, axis(2)).eval().to_vector() ==
        std::vector<float>{1, 10, 2, 20, 3, 30, 4, 40});
  CHECK(stack(a, exp(a * 0.0F), axis(0)).shape() == Shape{2, 2, 2});
  CHECK(
      equal(cat(softmax(a, axis(-1)), softmax(a, axis(0)), axis(0)),
            cat(std::vector{Tensor(softmax(a, axis(-1))), Tensor(softmax(a, axis(0)))}, axis(0))));
  Tensor w = a.clone();
  w = cat(w, w + 1.0F, axis(0));
  CHECK(w.to_vector() == std::vector<float>{1, 2, 3, 4, 2, 3, 4, 5});
  Tensor v = weft::zeros<float>({4, 2}, D{});
  v(slice(0, 4), weft::all).assign(cat(v(slice(0, 2), weft::all) + 1.0F, a, axis(0)));
  CHECK(v.to_vector() == std::vector<float>{1, 1, 1, 1, 1, 2, 3, 4});
  CHECK_SAYS("[cat] shapes (2, 2) and (1, 2), expected equal sizes except along axis 1",
             cat(a * 2.0F, b, axis(1)));
  CHECK_SAYS("[stack] shapes (2, 2) and (1, 2), expected equal shapes",
             stack(a * 2.0F, b, axis(0)));
}

#ifdef __CUDACC__
TEST_CASE("[gpu] a rotary embedding is one kernel") {
  const Cuda d;
  const auto x = ones<float>({64, 32}, d);
  const auto cosine = full<float>({64, 16}, 0.5F, d);
  const auto left = x(weft::all, slice(0, 16));
  const auto right = x(weft::all, slice(16, 32));
  Tensor z = empty<float>({64, 32}, d);
  const GraphNodes nodes =
      captured([&] { z.assign(cat(left * cosine - right, right * cosine + left, axis(-1))); });
  CHECK(nodes.kernels == 1);
  CHECK(nodes.copies + nodes.memsets == 0);
}
#endif
