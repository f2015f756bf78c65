// expect: this operation has no gradient
// compilers: g++ clang++
#include <weft/autograd.hpp>

using namespace weft;

template <class E>
struct Backwards {
  using value_type = typename E::value_type;
  using device_type = typename E::device_type;
  static constexpr bool is_expression = true;
  static constexpr bool is_opaque = true;
  static constexpr const char* text = "backwards";
  Pack<E> operands;
  const Shape& shape() const { return operands.head.shape(); }
  int rank() const { return shape().rank(); }
  int64_t size() const { return shape().size(); }
  const Pack<E>& args() const { return operands; }
  template <class T, class D>
  void evaluate(const Tensor<T, D>& target) const;
};

Var<float> f(const Backwards<Var<float>>& x) { return x; }
