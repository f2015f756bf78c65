#include "weft/autograd/expression/reverse.hpp"

#include <cmath>

#include "test.hpp"

using namespace weft;

namespace {
struct Values {
  double at[3];
  template <int I>
  WEFT_HD double get() const {
    return at[I];
  }
};
using Exp = Apply<op::exp, Arg<2, double>>;
using Program = Apply<op::mul, Arg<1, double>, Exp>;
const Program program{{}, pack_of(Arg<1, double>{}, Exp{{}, pack_of(Arg<2, double>{})})};

/// The gradients of 3 * x * exp(y) by the operands in Ports.
template <std::uint64_t Ports, class Gradients>
void run(double x, double y, Gradients& gradients) {
  autograd::Primal<Ports, Program> done;
  autograd::detail::run_forward<Ports>(program, Values{{0, x, y}}, done);
  CHECK(done.value == doctest::Approx(x * std::exp(y)));
  autograd::detail::reverse<Ports>(program, done, 3.0, gradients);
}
}  // namespace

TEST_CASE("a program run backward gives the gradients of its ports alone") {
  Pack<double, double> both{};
  run<6>(2, 0.5, both);
  CHECK(get<0>(both) == doctest::Approx(3 * std::exp(0.5)));
  CHECK(get<1>(both) == doctest::Approx(6 * std::exp(0.5)));
  Pack<double> second{};
  run<4>(2, 0.5, second);
  CHECK(get<0>(second) == doctest::Approx(6 * std::exp(0.5)));
  Pack<double> first{};
  run<2>(2, 0.5, first);
  CHECK(get<0>(first) == doctest::Approx(3 * std::exp(0.5)));
}

TEST_CASE("what is not on the way to a port is not kept") {
  static_assert(sizeof(autograd::Primal<6, Program>) > sizeof(autograd::Primal<2, Program>));
  static_assert(sizeof(autograd::Primal<1, Program>) == sizeof(double));
  CHECK(autograd::detail::port_number<6, 2> == 1);
}
