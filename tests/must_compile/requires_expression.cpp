#include <weft/weft.hpp>

#include <memory>
#include <string>
#include <type_traits>

using namespace weft;

// Generic code may ask: what weft cannot do with other people's types, it does not claim to do.
struct Mine {
  friend int operator*(const Mine&, const Tensor<float>&) { return 1; }
  friend int operator+(const Tensor<float>&, Mine) { return 2; }
};
template <class X, class Y>
concept Addable = requires(X x, Y y) {
  x + y;
};
template <class X>
concept HasTanh = requires(X x) {
  tanh(x);
};

static_assert(Addable<Tensor<float>, Tensor<float>> && Addable<Tensor<float>, int>);
static_assert(Addable<std::string, std::string> && !Addable<Tensor<float>, std::shared_ptr<int>>);
static_assert(HasTanh<Tensor<float>> && HasTanh<double> && !HasTanh<std::string>);
static_assert(!std::is_convertible_v<int, Tensor<float>>);
static_assert(!std::is_convertible_v<Shape, Tensor<float>>);
static_assert(!std::is_convertible_v<Tensor<float>, std::string>);
static_assert(std::is_convertible_v<Tensor<float>, Tensor<const float>>);

int f(Mine mine, Tensor<float> x) { return mine * x + (x + mine); }

// A shape in braces still chooses the overload that takes a shape.
int g(const Shape&) { return 1; }
int g(const Tensor<float>&) { return 2; }
int h() { return g({2, 3}) + g({2}) + g(ones({2})); }
