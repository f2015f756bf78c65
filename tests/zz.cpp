#include "weft/weft.hpp"
#include "weft/cuda.hpp"
#include "weft/cuda/reduce.hpp"
#include "weft/explain.hpp"
#include "weft/random.hpp"
#include "test.hpp"
#include <iostream>
using namespace weft;
TEST_CASE("zz") {
  manual_seed(1);
  auto m = randn({300, 130}, Cuda{});
  auto y = randn({300, 130}, Cuda{});
  std::cout << explain(max(m / norm(m, axis(1), keepdims))) << "\n";
  std::cout << explain(mean(softmax(m, axis(1)) * y)) << "\n";
  for (Shape s : {Shape{300,130}, Shape{5000, 7}, Shape{5000,33}, Shape{40, 3000}, Shape{2,5,100,16}}) {
   auto a = randn(s); auto b = randn(s); auto da = a.to(Cuda{}); auto db = b.to(Cuda{});
   for (int ax : {0, 1}) {
    std::cout << s << ax << " " << mean(softmax(a, axis(ax)) * b).item() - mean(softmax(da, axis(ax)) * db).item() << " "
     << sum(square(a - mean(a, axis(ax), keepdims))).item() / sum(square(da - mean(da, axis(ax), keepdims))).item() << " "
     << max(a / norm(a, axis(ax), keepdims)).item() - max(da / norm(da, axis(ax), keepdims)).item() << " "
     << argmax(a / norm(a, axis(ax), keepdims)).item() - argmax(da / norm(da, axis(ax), keepdims)).item() << " "
     << var(a / norm(a, axis(ax), keepdims)).item() / var(da / norm(da, axis(ax), keepdims)).item() << " "
     << norm(a - log_softmax(b, axis(ax))).item() / norm(da - log_softmax(db, axis(ax))).item() << "\n";
   }
  }
}
