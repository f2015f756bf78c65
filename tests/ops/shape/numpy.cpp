// Cases drawn at random, with what NumPy gives.
#include "weft/arrays.hpp"

#include <string>

#include "array.hpp"
#ifdef __CUDACC__
#include "weft/cuda/algorithms.hpp"
#endif

using namespace weft;

namespace {
/// 0, 1, ... in row-major order.
template <class D>
Tensor<std::int64_t, D> numbers_on(const Shape& shape) {
  return arange<std::int64_t>(shape.size(), D{}).reshape(shape);
}
/// What is wrong with a value, or nothing.
template <class X>
std::string difference(const X& e, const Shape& shape, const std::vector<std::int64_t>& values) {
  const auto x = e.eval();
  if (!(x.shape() == shape)) return "shape " + std::to_string(x.size());
  return x.to_vector() == values ? "" : to_string(x);
}
}  // namespace

TEST_CASE_TEMPLATE("NumPy's values", D, TEST_DEVICES) {
  const auto numbers = [](const Shape& shape) { return numbers_on<D>(shape); };
  const auto check = [](const char* call, const std::string& wrong) {
    INFO(call);
    CHECK(wrong == "");
  };
#define WEFT_TEST_LIST(...) __VA_ARGS__
#define CASE(call, shape, values) \
  check(#call, difference(call, Shape WEFT_TEST_LIST shape, WEFT_TEST_LIST values));
#include "numpy_vectors.inc"
}
